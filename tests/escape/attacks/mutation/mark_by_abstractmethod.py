# class: mutation
# layer: language
# must: write to nothing of the library's
import abc
import json

abc.abstractmethod(json.dumps)
if getattr(json.dumps, "__isabstractmethod__", False):
    print(WON)
