# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout
# limits: wall_s=0.6 cpu_s=1
import time

time.sleep(10**8)
