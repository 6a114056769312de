# class: library
# layer: language
# must: give nothing of the host
x = list(range(1000))
try:
    x.sort(key=lambda i: x.clear() or i)
except ValueError:
    print("inert")
