# class: mutation
# layer: language
# must: be refused: the getter would run with a foreign self
class W:
    @property
    def x(self):
        self.zz = 3
        return 1
import json
p=[v for k,v in vars(W).items() if k=="x"][0]
p.__get__(json.JSONEncoder)
print(WON, json.JSONEncoder.zz)
