# class: mutation
# layer: language
# must:  call no method with a foreign self
import json


class B:
    pass


class A:
    def __new__(cls, state):
        return state

    def __init__(self, state):
        self.planted = 5


B().__reduce_ex__(0)[0](A, A, json.dumps)
print(WON, json.dumps.planted)
