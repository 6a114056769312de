# class: library
# layer: language
# must: give nothing of the host
import copyreg

copyreg.pickle(int, lambda x: (print, (WON,)))
print(WON)
