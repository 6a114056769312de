# class: frames
# layer: language
# must:  hand out nothing that a library class keeps for itself
import abc
import dataclasses
import pathlib

got = []


class Heir(pathlib.PurePosixPath):
    pass


class Spy:
    def __init__(self, kind):
        self.kind = kind

    def __getattr__(self, name):
        try:
            match Heir("a"):
                case self.kind(found):
                    got.append(found)
        except TypeError as e:
            print(e)
        raise AttributeError(name)


class Early:
    def __get__(self, instance, owner):
        return Spy(owner)


class Base(abc.ABC):
    @abc.abstractmethod
    def spy(self): ...


def claims(cls, kind):
    return True


body = {"spy": Early(), "__subclasshook__": classmethod(claims)}
for name in ("parser", "_flavour"):
    for slots in (False, True):
        dataclasses.make_dataclass("K", [(name, object)], bases=(Base,), slots=slots, namespace=body)


@dataclasses.dataclass
class Parsing(Base):
    parser: object
    spy = Early()
    __subclasshook__ = classmethod(claims)


@dataclasses.dataclass
class Flavoured(Base):
    _flavour: object
    spy = Early()
    __subclasshook__ = classmethod(claims)


for one in got:
    if not isinstance(one, (str, property)):
        print(WON, one)
