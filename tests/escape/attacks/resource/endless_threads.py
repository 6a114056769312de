# class: resource
# layer: resource
# must: be ended by its own limit
# ends: timeout cpu_limit memory_limit crash exception deadlock
# limits: wall_s=3 cpu_s=2
import threading

kept = []
while True:
    t = threading.Thread(target=threading.Event().wait)
    kept.append(t)
    t.start()
