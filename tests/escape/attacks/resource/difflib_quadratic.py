# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit memory_limit
# limits: wall_s=0.6 cpu_s=1
import difflib

list(difflib.ndiff(["a" * i for i in range(2000)], ["b" * i for i in range(2000)]))
