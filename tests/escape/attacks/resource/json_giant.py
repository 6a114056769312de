# class: resource
# layer: resource
# must: be ended by its own limit
# ends: memory_limit timeout cpu_limit
# limits: wall_s=3 cpu_s=2
import json

json.loads("[" + "0," * 10**8 + "0]")
