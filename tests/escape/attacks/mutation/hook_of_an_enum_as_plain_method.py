# class: mutation
# layer: language
# must:  call no method with a foreign self
import enum
import json


class E(enum.Enum):
    A = 1

    def _missing_(value):
        value.planted = 5


try:
    E(json.dumps)
except ValueError as e:
    print(e)
if hasattr(json.dumps, "planted"):
    print(WON)
