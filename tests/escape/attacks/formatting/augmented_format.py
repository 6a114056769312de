# class: formatting
# layer: language
# must: give no format method without a check
out = []
class R:
    def __radd__(self, o): out.append(o); return o
class S(str): pass
S.format += R()
import json
print(out[0]("{0.__globals__}", json.dumps)[:50], WON)
