# class: library
# layer: language
# must: give nothing of the host
import functools

print(WON, functools._make_key)
