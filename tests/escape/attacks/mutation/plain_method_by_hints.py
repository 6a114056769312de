# class: mutation
# layer: language
# must:  call no method with a foreign self
import json
import typing


class A:
    x: "[zork]"

    def zork(self):
        self.planted = 5


typing.get_type_hints(A)["x"][0](json.dumps)
print(WON, json.dumps.planted)
