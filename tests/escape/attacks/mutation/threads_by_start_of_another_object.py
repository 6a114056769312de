# class: mutation
# layer: language
# must:  take nothing but threads for threads
import threading


class Me:
    daemon = False

    def _live(self):
        pass


try:
    threading.Thread.start(Me())
except TypeError as e:
    print(e)
if any(type(one) is Me for one in threading.enumerate()):
    print(WON)
