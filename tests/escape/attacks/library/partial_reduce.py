# class: library
# layer: language
# must: give nothing of the host
import functools

p = functools.partial(len)
p.__setstate__((print, (WON,), {}, {}))
print("inert")
raise ValueError("end")
