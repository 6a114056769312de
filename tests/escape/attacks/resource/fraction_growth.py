# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit memory_limit
# limits: wall_s=0.6 cpu_s=1
import fractions

x = fractions.Fraction(1, 3)
while True:
    x = x * x + 1
