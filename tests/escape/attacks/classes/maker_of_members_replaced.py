# class: classes
# layer: language
# must: write to nothing of the library's
import enum
import json


class Early:
    def __set_name__(self, owner, name):
        setattr(owner, "_new_member" + "_", staticmethod(lambda *args: json.dumps))


class Some(enum.Enum):
    a = enum.nonmember(Early())
    B = 2


print(WON, json.dumps._value_)
