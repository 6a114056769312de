# class: attributes
# layer: language
# must: give no module
# ends: exception
import functools
class D:
    def __get__(self, o, c=None): return len
class A:
    m = functools.partialmethod(D())
b = vars(A().m)['__self__']
print(WON, type(b), b)
print(b.eval("1+1"))
