# class: classes
# layer: language
# must: not make a class unchecked
import typing
got = []
class O:
    def __call__(self): pass
    __hash__ = object.__hash__
    def __eq__(self, other):
        got.append(other)
        return False
a = typing.Annotated[O(), 'x']
got.clear()
typing.Type[int] == a
real = got[0]
print(real, real is type, real == type)
print(real('X', (), {'__getattribute__': lambda s, n: ('any', n)})().x)
print(WON)
