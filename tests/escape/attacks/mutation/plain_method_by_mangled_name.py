# class: mutation
# layer: language
# must:  call no method with a foreign self
import json


class A:
    def _A__zork(self):
        self.planted = 5

    def get():
        return A.__zork


A.get()(json.dumps)
print(WON, json.dumps.planted)
