# class: classes
# layer: language
# must:  make no class past the policy
import functools
import inspect

got = []


class Told:
    def __get__(self, instance, owner=None):
        got.append(owner)
        got.append(instance)
        return lambda self: None

    def __call__(self, *_):
        pass


class First:
    __init__ = functools.partialmethod(Told())


class Second:
    __new__ = functools.partialmethod(Told())


class Third:
    __init__ = classmethod(Told())


for kind in (First, Second, Third):
    try:
        inspect.signature(kind)
    except Exception as e:
        print(e)
got = [one for one in got if one not in (First, Second, Third)]

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
