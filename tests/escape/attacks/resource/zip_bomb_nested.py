# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit exception ok timeout cpu_limit invalid_output
# limits: wall_s=4 cpu_s=3
import zlib
x = bytes(10**7)
for _ in range(3):
    x = zlib.compress(x) * 1000
zlib.decompress(x)
