# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit memory_limit crash exception
# limits: wall_s=3 cpu_s=2
import threading

while True:
    threading.Timer(100, print).start()
