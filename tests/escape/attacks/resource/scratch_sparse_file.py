# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception limit memory_limit
with open("/tmp/x", "wb") as f:
    f.seek(10**12)
    f.write(b"x")
