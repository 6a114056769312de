# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit
# limits: wall_s=0.6 cpu_s=1
import re

re.match("(a+)+$", "a" * 40 + "b")
