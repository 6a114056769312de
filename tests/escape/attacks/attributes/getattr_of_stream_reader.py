# class: attributes
# layer: language
# must: not let a library class forward an attribute name unchecked
import codecs
g = (i for i in [1])
reader = codecs.lookup("utf-8").streamreader(g)
print(WON, reader.__getattr__("gi_frame"))
