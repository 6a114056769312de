# class: attributes
# layer: language
# must:  read no attribute under a name that is refused
import copy
import json
import types


def f(self):
    pass


for name in ("__globals__", "__code__", "__builtins__", "__closure__"):
    f.__name__ = name
    for target in (json.dumps, getattr, f):
        for make in (copy.copy, copy.deepcopy):
            try:
                found = make(types.MethodType(f, target))
                if not isinstance(found, types.MethodType):
                    print(WON, found)
            except Exception as e:
                print(e)
