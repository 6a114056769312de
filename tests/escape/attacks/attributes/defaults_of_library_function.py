# class: attributes
# layer: language
# must: not hand out the real getattr that a library function keeps as a default
import codecs
real = codecs.lookup("utf-8").streamreader.__getattr__.__defaults__[0]
print(WON, real((i for i in [1]), "gi_frame"))
