# class: library
# layer: language
# must: give nothing of the host
import sys

print(WON if "/" in (sys.executable + "".join(sys.path) + getattr(sys, "prefix", "")) else "inert")
