# class: frames
# layer: language
# must: be refused
import threading, sys
t = threading.current_thread()
print(WON, t._strand.lane.gr_frame)
