# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit timeout cpu_limit
# limits: wall_s=4 cpu_s=3
class A:
    __slots__ = ("x",)


kept = []
while True:
    a = A()
    a.x = kept[-1:]
    kept.append(a)
