# class: library
# layer: language
# must:  give no plain function of a library class
import codecs

N = type(tools)
try:
    N.__init__(codecs.StreamReader, "x")
except TypeError as e:
    print(e)
print(WON, N.__getitem__(codecs.StreamReader, "__getattr__"))
