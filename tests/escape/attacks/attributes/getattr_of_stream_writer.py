# class: attributes
# layer: language
# must: not let a library class forward an attribute name unchecked
import codecs
g = (i for i in [1])
print(WON, getattr(codecs.lookup("utf-8").streamwriter(g), "__getattr__")("gi_frame"))
