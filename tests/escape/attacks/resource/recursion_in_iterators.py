# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash ok
import itertools
x = iter([1])
for _ in range(10**5):
    x = filter(None, x)
next(x)
