# class: library
# layer: language
# must: give nothing of the host
import types

print(WON, types.new_class("X", (), {"metaclass": type}))
