# class: classes
# layer: language
# must: make no member that is none
# ends: exception
import enum
import json


class E(enum.Enum):
    @staticmethod
    def __new__(cls, *a):
        return json.JSONEncoder

    RED = 1


print(WON, json.JSONEncoder._name_)
