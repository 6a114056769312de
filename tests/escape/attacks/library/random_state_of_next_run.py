# class: library
# layer: language
# must: give nothing of the host
import random

random.setstate(random.getstate())
print("inert")
