# class: library
# layer: language
# must: give nothing of the host
import multiprocessing

print(WON, multiprocessing.Process)
