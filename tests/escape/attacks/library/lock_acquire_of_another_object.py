# class: library
# layer: language
# must: give nothing of the scheduler
# ends: exception
import threading
got = []
class Q:
    def append(self, e): got.append(e[0]); raise KeyError
class Me:
    _is_held = True
    _waiting = Q()
try: type(threading.Lock()).acquire(Me())
except KeyError: pass
print(WON, got[0].lane.switch)
