# class: resource
# layer: resource
# must: be ended by its own limit
# ends: ok timeout cpu_limit exception memory_limit invalid_output
# limits: wall_s=0.6 cpu_s=1
import re

re.compile("(" * 200 + "a{1,1000}" + "){1,1000}" * 5 + ")" * 195)
