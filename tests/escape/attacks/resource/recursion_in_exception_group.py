# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash
e = ValueError()
for _ in range(10**5):
    e = ExceptionGroup("x", [e])
e.split(KeyError)
