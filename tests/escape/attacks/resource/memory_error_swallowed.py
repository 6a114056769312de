# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit memory_limit
# limits: wall_s=0.6 cpu_s=1
kept = []
while True:
    try:
        kept.append(bytes(10**6))
    except MemoryError:
        pass
