# class: classes
# layer: language
# must: write to nothing of the library's
import enum
import json

kept = []


class Early:
    def __set_name__(self, owner, name):
        kept.append(owner.__dict__["B"])


class Some(enum.Enum):
    a = enum.nonmember(Early())
    B = 2


class Other:
    x = kept[0]
    _member_type_ = object
    _use_args_ = False
    _new_member_ = staticmethod(lambda *args: json.dumps)
    _value2member_map_ = {}
    _member_names_ = []
    _member_map_ = {}

    @classmethod
    def _add_member_(cls, name, member):
        pass


print(WON, json.dumps._value_)
