# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit exception timeout cpu_limit
# limits: wall_s=0.6 cpu_s=1
x = 1 << (1 << 40)
