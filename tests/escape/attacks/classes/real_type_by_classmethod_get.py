# class: classes
# layer: language
# must:  make no class past the policy
import abc
import functools


class Own:
    pass


def kind(cls, *_):
    return cls


class Heir(classmethod):
    def go(self, one, *more):
        return super().__get__(one, *more)


ways = [
    lambda: classmethod(kind).__get__(Own),
    lambda: classmethod(kind).__get__(Own, None),
    lambda: classmethod.__get__(classmethod(kind), Own),
    lambda: abc.abstractclassmethod(kind).__get__(Own),
    lambda: functools.partialmethod(classmethod(kind)).__get__(Own),
    lambda: functools.singledispatchmethod(classmethod(kind)).__get__(Own),
    lambda: Heir(kind).__get__(Own),
    lambda: Heir(kind).go(Own),
    lambda: Heir(kind).go(Own, None),
]
got = []
for way in ways:
    for arguments in ((), (1,)):
        try:
            got.append(way()(*arguments))
        except Exception as e:
            print(e)

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
