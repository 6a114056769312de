# class: attributes
# layer: language
# must: give no accessor without a check
out = []
class R:
    def __radd__(self, o): out.append(o); return o
class K: pass
K.__setattr__ += R()
import json
print(out[0])
out[0](json.dumps, "spoiled", 1)
print(json.dumps.spoiled, WON)
