# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: deadlock
import queue

queue.Queue().get()
