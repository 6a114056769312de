# class: library
# layer: language
# must: give nothing of the host
import types

n = types.SimpleNamespace(**{"__class__": 1, "__dict__": 2})
print("inert", n)
