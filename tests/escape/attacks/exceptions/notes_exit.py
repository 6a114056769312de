# class: exceptions
# layer: language
# must: say how the program ended, whatever its error does
# ends: exception
class L(list):
    def __iter__(self): raise SystemExit(5)
e = ValueError("x"); e.__notes__ = L(["a"])
raise e
