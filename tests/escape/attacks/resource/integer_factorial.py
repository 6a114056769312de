# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit memory_limit exception
# limits: wall_s=0.6 cpu_s=1
import math

print(len(str(math.factorial(10**7))))
