# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash
x = iter([1])
for _ in range(10**5):
    x = map(abs, x)
next(x)
