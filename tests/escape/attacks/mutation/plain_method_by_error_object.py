# class: mutation
# layer: language
# must:  call no method with a foreign self
import json


class A:
    def zork(self):
        self.planted = 5


try:
    "{0.zork.missing}".format(A)
except AttributeError as e:
    e.obj(json.dumps)
    print(WON, json.dumps.planted)
