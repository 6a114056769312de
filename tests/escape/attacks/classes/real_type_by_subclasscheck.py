# class: classes
# layer: language
# must:  make no class past the policy
import abc
import typing
from collections.abc import Sized

got = []


class A(abc.ABC):
    @classmethod
    def __subclasscheck__(cls, subclass):
        got.append(subclass)
        return True


class B(Sized):
    @classmethod
    def __subclasscheck__(cls, subclass):
        got.append(subclass)
        return True

    def __len__(self):
        return 1


@typing.runtime_checkable
class C(typing.Protocol):
    @classmethod
    def __subclasscheck__(cls, subclass):
        got.append(subclass)
        return True

    def m(self): ...


for kind in (A, B, C):
    isinstance(int, kind)
for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except AttributeError as e:
        print(e)
