# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import pprint, json
class A:
    def __repr__(self):
        self.evil = 7
        return 'x' * 100
got = []
class D(dict):
    def get(self, k, d=None): got.append(k)
class P(pprint.PrettyPrinter):
    _dispatch = D()
try: P().pprint(A())
except Exception as e: print(e)
got[0](json.JSONEncoder)
print(WON, json.JSONEncoder.evil)
