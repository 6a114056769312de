# class: library
# layer: language
# must: give nothing of the host
import re

print(WON, re.sub("x", lambda m: m.re.__class__.__base__.__name__, "x"))
