# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit timeout cpu_limit
# limits: wall_s=4 cpu_s=3
import zlib
small = zlib.compress(bytes(10**8), 9)
kept = [zlib.decompress(small) for _ in range(100)]
