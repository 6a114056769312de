# class: library
# layer: language
# must: give nothing of the host
from concurrent.futures import ProcessPoolExecutor

with ProcessPoolExecutor() as p:
    print(WON, p.submit(len, "x").result())
