# class: classes
# layer: language
# must: not make a class unchecked
import dataclasses, enum, types
@dataclasses.dataclass
class D:
    pass
class E(D, enum.Enum):
    A = ()
class NS(dict):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self._member_names = {}
        self._last_values = []
        self._ignore = []
        self._auto_called = False
        self._cls_name = 'X'
got = []
class Desc:
    def __set_name__(self, owner, name):
        got.append(owner)
def made(bases, **more):
    try:
        D.__replace__(E, cls='X', bases=bases, classdict=NS({'__module__': '__main__', 'd': Desc(), **more}))
    except TypeError as e:
        print(e)
    return got.pop()
X = made((enum.Enum,), __getattribute__=lambda self, name: ('getattribute', name), __init_subclass__=classmethod(lambda cls: print('init_subclass', cls)))
print(object.__new__(X).anything)
class Y(X): pass
print(issubclass(made((dataclasses.Field, enum.Enum)), dataclasses.Field))
G = made((types.GenericAlias, enum.Enum))
g = types.GenericAlias.__new__(G, len, ())
print(g.__self__.eval)
print(WON)
