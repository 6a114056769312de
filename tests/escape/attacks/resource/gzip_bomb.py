# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit timeout cpu_limit
# limits: wall_s=4 cpu_s=3
import gzip

x = gzip.compress(bytes(10**7)) * 1000
gzip.decompress(x)
