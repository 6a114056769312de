# class: attributes
# layer: language
# must: give no method past the check of its self
out = []
class R:
    def __radd__(self, o): out.append(o); return o
class K:
    def put(self, v): self.spoiled = v
try: K.__dict__ += R()
except Exception as e: print(e)
import logging
f = out[0]["p" + "ut"]
f(logging.Formatter, 1)
print(logging.Formatter.spoiled, WON)
