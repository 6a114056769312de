# class: classes
# layer: language
# must: turn no text into code
import dataclasses
import enum

kept = []


class Early:
    def __set_name__(self, owner, name):
        kept.append(owner.__dict__["B"])


class Some(enum.Enum):
    a = enum.nonmember(Early())
    B = 2


class Member:
    def __init__(self, *args):
        pass


class Alike:
    def __eq__(self, other):
        return True


class Name(str):
    texts = ["a:print(" + repr(WON) + ")"]

    def __format__(self, spec):
        return self.texts.pop() if self.texts else "a"


class Field:
    name = Name("a")
    init, kw_only, repr, compare, hash = True, False, False, False, None
    default, default_factory, type = dataclasses.MISSING, dataclasses.MISSING, int
    _field_type = Alike()


class Fields:
    def items(self):
        return ()

    def values(self):
        return [Field()]


@dataclasses.dataclass
class Base:
    a: int = 0
    _member_type_ = object
    _use_args_ = False
    _new_member_ = staticmethod(lambda *args: Member())
    _value2member_map_ = {2: Fields()}
    _member_names_ = []
    _member_map_ = {}


kept[0].__set_name__(Base, "__dataclass_fields__")


@dataclasses.dataclass
class Heir(Base):
    b: int = 0
