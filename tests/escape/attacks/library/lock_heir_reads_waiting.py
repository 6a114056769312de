# class: library
# layer: language
# must: give nothing of the scheduler to an heir of a lock
import threading
class L(threading.Lock):
    def look(self): return self._waiting
print(WON, L().look())
