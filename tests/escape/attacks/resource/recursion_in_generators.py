# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash
def g(n):
    yield from g(n + 1)
next(g(0))
