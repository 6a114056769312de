# class: mutation
# layer: language
# must: be refused, whatever holds the property
import functools, json
class W:
    @property
    def x(self):
        self.zz = 3
        return 1
class PM(functools.partialmethod): pass
class P(property):
    def __get__(self, o, t=None): return super().__get__(o, t)
class Z:
    v = P(lambda s: 5)
print(Z().v, W.x.__get__(W()))
for f in (lambda: functools.partialmethod(W.x).__get__(json.JSONEncoder), lambda: PM(W.x).__get__(json.JSONEncoder), lambda: classmethod(W.x).__get__(None, json.JSONEncoder), lambda: property.__get__(W.x, json.JSONEncoder), lambda: getattr(W.x,"__g"+"et__")(json.JSONEncoder), lambda: list(map(W.x.__get__,[json.JSONEncoder]))):
    try: f()
    except Exception as e: print(type(e).__name__, str(e)[:60])
print(WON if hasattr(json.JSONEncoder,"zz") else "fine")
