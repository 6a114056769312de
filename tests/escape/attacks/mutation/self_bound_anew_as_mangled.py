# class: mutation
# layer: language
# must:  write to nothing of the library's
import json


class A:
    def zork(__me):
        _A__me = json.dumps
        __me.planted = 5


class B:
    def zork(_B__me):
        __me = json.dumps
        _B__me.planted = 5


for kind in A, B:
    try:
        kind().zork()
    except AttributeError as e:
        print(e)
if hasattr(json.dumps, "planted"):
    print(WON)
