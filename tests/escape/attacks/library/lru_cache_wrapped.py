# class: library
# layer: language
# must: give nothing of the host
import functools
import re

print(WON, functools.lru_cache(re.compile).__wrapped__.__globals__)
