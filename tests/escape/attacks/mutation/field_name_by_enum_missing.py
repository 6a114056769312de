# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import enum, json
class E(enum.Enum):
    RED = 1
    def _missing_(self):
        self.evil = 7
try:
    E(json.JSONEncoder)
except Exception as e: print(type(e), e)
print(WON, json.JSONEncoder.evil)
