# class: classes
# layer: language
# must: be refused
import weakref
class A:
    pass
a = A()
weakref.finalize(a, print, WON)
del a
