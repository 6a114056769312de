# class: library
# layer: language
# must: give nothing of the host
import json

print(WON, json.loads("{}", object_hook=lambda d: getattr(d, "__class__").__base__))
