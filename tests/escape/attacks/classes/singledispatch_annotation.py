# class: classes
# layer: language
# must: be refused
import functools
@functools.singledispatch
def f(x):
    pass
@f.register
def g(x: "print(WON) or int"):
    pass
print(WON)
