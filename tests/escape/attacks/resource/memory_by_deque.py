# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit timeout cpu_limit
# limits: wall_s=4 cpu_s=3
import collections

d = collections.deque()
while True:
    d.extend(range(1000))
