# class: classes
# layer: language
# must:  make no class past the policy
import inspect

got = []


class Told:
    def __get__(self, instance, owner=None):
        got.append(owner)
        return lambda self: None


class First:
    __init__ = Told()


class Second:
    __new__ = Told()


class Third:
    __call__ = Told()


for kind in (First, Second, Third, Third()):
    try:
        inspect.signature(kind)
    except Exception as e:
        print(e)

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
