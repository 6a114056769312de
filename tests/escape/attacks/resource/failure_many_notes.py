# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception memory_limit
e = ValueError()
for _ in range(10**5):
    e.add_note("x" * 100)
raise e
