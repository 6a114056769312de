# class: mutation
# layer: language
# must:  set no special name on a class
import abc
import copy
import enum
import http

got = []


class Member(enum.Enum):
    a = 1


class Abstract(abc.ABC):
    _member_map_ = {}


for kind in (Member, http.HTTPStatus):
    try:
        kind._add_member_("__del__", lambda self: 0)
        print(WON, "__del__" in vars(kind))
    except Exception as e:
        print(e)
for name in ("_add_member_", "_get_mixins_", "_create_"):
    try:
        copy.deepcopy(getattr(Member, name), {id(Member): Abstract})("__subclasscheck__", got.append)
        isinstance(Member, Abstract)
    except Exception as e:
        print(e)

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
