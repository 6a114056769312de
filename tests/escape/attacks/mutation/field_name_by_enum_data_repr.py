# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import enum
import json


class Data:
    def __repr__(self):
        self.name = 7
        return "x"


class E(Data, enum.Enum):
    def __new__(cls, v):
        made = object.__new__(cls)
        made._value_ = v
        return made

    RED = json.JSONEncoder


E._value_repr_(json.JSONEncoder)
print(WON, json.JSONEncoder.name)
