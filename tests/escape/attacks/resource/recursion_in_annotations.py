# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash memory_limit
x = int
for _ in range(10**5):
    x = list[x]
repr(x)
