# class: classes
# layer: language
# must: not make a class unchecked
import inspect, weakref
got = []
class O:
    def __call__(self): pass
    __hash__ = object.__hash__
    def __eq__(self, other):
        got.append(other)
        return False
o = O()
try: inspect.signature(weakref.proxy(o), follow_wrapped=False)
except ValueError as e: print(e)
real = got[0]
print(real, real is type, real == type)
print(real('X', (), {'__getattribute__': lambda s, n: ('any', n)})().x)
print(WON)
