# class: mutation
# layer: language
# must:  set no special name on a class
import abc
import copy

got = []


class Own:
    pass


class Abstract(abc.ABC):
    pass


class Shown:
    def items(self):
        return list(bad.items())


class Late(dict):
    def __deepcopy__(self, memo):
        return dict(bad)


class Reduced:
    def __init__(self, made, state):
        self.made, self.state = made, state

    def __reduce_ex__(self, protocol):
        return (lambda: self.made), (), (None, self.state)


bad = {}
special = {
    "__del__": lambda self: print(WON, "__del__"),
    "__getattribute__": lambda self, name: print(WON, name),
    "__subclasshook__": classmethod(lambda cls, kind: got.append(kind) or True),
}
for made in (Own, Abstract, Own()):
    for state in (Shown(), Late()):
        for make in (copy.copy, copy.deepcopy):
            for name, value in special.items():
                bad = {name: value}
                try:
                    make(Reduced(made, state))
                    print("set", name)
                except Exception as e:
                    print(e)
                bad = {}
getattr(Own(), "anything", None)
isinstance(Own, Abstract)

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
