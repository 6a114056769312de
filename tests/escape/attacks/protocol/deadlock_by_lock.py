# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: deadlock
import threading

l = threading.Lock()
l.acquire()
l.acquire()
