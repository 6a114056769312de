# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception limit memory_limit
kept = []
while True:
    kept.append(open("/tmp/x", "w"))
