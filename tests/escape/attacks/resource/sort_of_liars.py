# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit
# limits: wall_s=0.6 cpu_s=1
import random
class A:
    def __lt__(self, other):
        return random.random() < 0.5
while True:
    sorted(A() for _ in range(10000))
