# class: library
# layer: language
# must: give nothing of the host
import json

json.JSONEncoder.default = lambda self, o: WON
print(json.dumps(object()))
