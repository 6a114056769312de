# class: library
# layer: language
# must: give nothing of the host
import sys

sys.addaudithook(lambda *a: print(WON, a))
