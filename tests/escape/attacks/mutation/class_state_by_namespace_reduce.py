# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import copy, types, json
ns = types.SimpleNamespace()
ns.__reduce_ex__ = lambda p: (lambda: json.JSONEncoder, (), (None, {"evil": 7}))
copy.copy(ns)
print(WON, json.JSONEncoder.evil)
