# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash ok
x = int
for _ in range(10**5):
    x = (x,)
isinstance(1.0, x)
