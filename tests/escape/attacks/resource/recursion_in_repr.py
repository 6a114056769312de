# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception timeout
x = []
for _ in range(10**5):
    x = [x]
repr(x)
