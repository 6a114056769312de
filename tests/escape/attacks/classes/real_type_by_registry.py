# class: classes
# layer: language
# must:  make no class past the policy
import functools

got = []


class Key:
    def __hash__(self):
        return hash(type)

    def __eq__(self, other):
        got.append(other)
        return False


class Told:
    def __eq__(self, other):
        try:
            other[Key()] = print
        except Exception as e:
            print(e)
        return True

    __ror__ = __eq__


class Own:
    pass


@functools.singledispatch
def f(x):
    pass


@functools.singledispatchmethod
def g(self, x):
    pass


for one in (f, getattr(g, "dispatcher", f)):
    for compare in (lambda: one.registry == Told(), lambda: one.registry | Told()):
        try:
            compare()
        except Exception as e:
            print(e)
f(Own)

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
