# class: classes
# layer: language
# must: not let the library name what a class takes apart
import abc
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


class Any(abc.ABC):
    __match_args__ = ("x",)
    x = 1
    _member_type_ = object
    _use_args_ = False
    _new_member_ = staticmethod(lambda *args: Member())
    _value2member_map_ = {2: ("__globals__",)}
    _member_names_ = []
    _member_map_ = {}


kept[0].__set_name__(Any, "__match_args__")
if Any.__match_args__ != ("x",):
    print(WON, Any.__match_args__)
