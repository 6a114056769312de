# class: attributes
# layer: language
# must: not let a library class forward an attribute name unchecked
import codecs
info = codecs.lookup("utf-8")
class Both:
    pass
reader = info.streamreader(info.streamreader((i for i in [1])))
print(WON, type(reader).__getattr__(reader, "gi_frame"))
