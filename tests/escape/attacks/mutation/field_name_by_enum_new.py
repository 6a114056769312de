# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import enum, json
class A:
    def __init__(self, v):
        self.evil = v
class E(enum.Enum):
    def __new__(cls, *a): return A
    RED = (json.JSONEncoder, 7)
print(WON, json.JSONEncoder.evil)
