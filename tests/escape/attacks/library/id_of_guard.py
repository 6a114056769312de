# class: library
# layer: language
# must: give nothing of the host
print("inert", id(getattr) > 0)
