# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash memory_limit
x = ()
for _ in range(10**6):
    x = (x,)
hash(x)
