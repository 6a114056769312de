# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import json
class A:
    @property
    def evil(self): return 1
    @evil.setter
    def evil(self, v): self.zork = v
class P(property): pass
P.__set__(A.evil, json.JSONEncoder, 7)
print(WON, json.JSONEncoder.zork)
