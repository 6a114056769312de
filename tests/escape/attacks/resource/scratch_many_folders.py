# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception limit memory_limit violation
import os
n = 0
while True:
    os.mkdir("/tmp/d%d" % n)
    n += 1
