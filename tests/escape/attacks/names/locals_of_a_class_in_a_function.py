# class: names
# layer: language
# must: write nothing to a class of the library
# ends: policy
import json
def f():
    class A:
        def put(self, v): self.evil = v
        fs = locals()
    return A
f().fs['p' + 'ut'](json.JSONEncoder, 7)
print(WON, json.JSONEncoder.evil)
