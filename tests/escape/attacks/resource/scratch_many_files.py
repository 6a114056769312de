# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception limit memory_limit
import os
n = 0
while True:
    open("/tmp/%d" % n, "w").close()
    n += 1
