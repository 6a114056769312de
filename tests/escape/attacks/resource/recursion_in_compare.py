# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash ok
a = []
b = []
for _ in range(10**5):
    a = [a]
    b = [b]
print(a == b)
