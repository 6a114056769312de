# class: library
# layer: language
# must: give nothing of the host
import sys

print("inert", sys.intern("x"))
print(WON, sys._xoptions, sys.orig_argv)
