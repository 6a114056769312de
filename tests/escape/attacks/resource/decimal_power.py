# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit memory_limit
# limits: wall_s=0.6 cpu_s=1
import decimal

decimal.getcontext().prec = 10**8
print(decimal.Decimal(2) ** decimal.Decimal("0.5"))
