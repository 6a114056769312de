# class: classes
# layer: language
# must: not make a class unchecked
import abc
import functools
import sys

found = []


class A(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        e = sys.exc_info()[1]
        while e is not None:
            found.append(e.args)
            e = e.__context__
        return NotImplemented


@functools.singledispatch
def f(x):
    return 1


@f.register(A)
def _(x):
    return 2


class C:
    pass


f(C)
print(found)
for args in found:
    for one in args:
        if repr(one) == "<class 'type'>":
            print(WON, one is type(C), one is type, one("X", (), {"__del__": None}))
