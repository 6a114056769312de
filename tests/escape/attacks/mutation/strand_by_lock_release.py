# class: mutation
# layer: language
# must:  let only strands of the guest's run
import threading
from collections import deque


class Lane:
    def switch(self):
        print(WON)
        raise SystemExit


class Strand:
    lane = Lane()
    is_done = False
    joiners = []


class Me:
    _is_held = True
    _waiting = deque([[Strand(), False]])


kind = type(threading.Lock())
kind.release(Me())
threading.Event().wait(0.01)
