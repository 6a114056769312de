# class: classes
# layer: language
# must: not make a class unchecked
import functools
got = []
class O:
    def __hash__(self): return hash(type)
    def __eq__(self, other):
        got.append(other)
        return True
@functools.singledispatch
def f(x): return None
class C: pass
f(C)
try: print(f.dispatch(O()))
except Exception as e: print(repr(e))
real = got[0]
print(real, real is type, real == type)
print(real('X', (), {'__getattribute__': lambda s, n: ('any', n)})().x)
print(WON)
