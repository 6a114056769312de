# class: library
# layer: language
# must: give nothing of the host
import sys

print(WON, sys.stdout.buffer.raw)
