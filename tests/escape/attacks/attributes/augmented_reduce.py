# class: attributes
# layer: language
# must: give no __reduce_ex__ of a foreign object
out = []
class R:
    def __radd__(self, o): out.append(o); return o
class S: pass
S.__reduce_ex__ += R()
import logging
print(out[0](logging.getLogger("x"), 2), WON)
