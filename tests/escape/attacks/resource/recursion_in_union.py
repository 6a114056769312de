# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash ok memory_limit timeout cpu_limit
# limits: wall_s=3 cpu_s=2
import typing
x = "int"
for _ in range(2000):
    x = typing.Optional[list[x]]
print(len(repr(x)) > 0)
