# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import json, collections.abc
class A:
    def add(self): self.evil = 7
collections.abc.MutableSet.__ior__(A, [json.JSONEncoder])
print(WON, json.JSONEncoder.evil)
