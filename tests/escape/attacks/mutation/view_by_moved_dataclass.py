# class: mutation
# layer: language
# must:  write to nothing of the library
import dataclasses
import functools
import json


class Own:
    name: str


functools.update_wrapper(Own, json.dumps, assigned=("__module__",), updated=())
for frozen in (False, True):
    made = dataclasses.dataclass(frozen=frozen)(Own)
    for target in (json, getattr, json.dumps):
        try:
            made.__init__(target, "x")
            print(WON, target.name)
        except Exception as e:
            print(e)
