# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception limit memory_limit
with open("/tmp/x", "wb") as f:
    while True:
        f.write(bytes(10**6))
