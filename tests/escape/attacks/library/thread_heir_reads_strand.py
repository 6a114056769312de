# class: library
# layer: language
# must: give nothing of the scheduler to an heir of Thread
import threading
class T(threading.Thread):
    def run(self):
        s = self._strand
        print(WON, s, [n for n in dir(s) if n[:2] != "__"])
t = T(); t.start(); t.join()
