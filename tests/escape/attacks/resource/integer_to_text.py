# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception timeout cpu_limit
# limits: wall_s=0.6 cpu_s=1
print(10**10000000)
