# class: library
# layer: language
# must: give nothing of the host
import atexit

atexit.register(print, WON)
