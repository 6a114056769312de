# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash ok
import functools
f = print
for _ in range(10**5):
    f = functools.partial(functools.partial, f)
repr(f)
