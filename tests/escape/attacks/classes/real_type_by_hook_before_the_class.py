# class: classes
# layer: language
# must: show the hook of an abstract class the stand-in, also while the class is being made
from abc import ABC

seen = []


class Early:
    def __set_name__(self, owner, name):
        isinstance(int, owner)


class A(ABC):
    early = Early()

    @classmethod
    def __subclasshook__(cls, kind):
        seen.append(kind)
        return True


real = seen[0]
made = real("X", (), {"x": 1, "__getattribute__": lambda self, name: WON})
print(made().anything)
