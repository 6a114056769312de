# class: library
# layer: language
# must: give nothing of the host
import collections

print(WON, collections.ChainMap.__missing__.__globals__)
