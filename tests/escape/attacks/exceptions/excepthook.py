# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
import sys

sys.excepthook = lambda *a: print(WON, a)
1 / 0
