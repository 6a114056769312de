# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit timeout cpu_limit
# limits: wall_s=4 cpu_s=3
d = {}
n = 0
while True:
    d[n] = str(n)
    n += 1
