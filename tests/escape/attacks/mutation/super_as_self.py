# class: mutation
# layer: language
# must: write to nothing of the library's
import collections
import json


def real_super(kind, value):
    class B:
        maps = [value]

    class C(B):
        pass

    return collections.ChainMap.new_child(super(C, C()), kind)


s = real_super(type(json), json)
print(s)
state = s.__getstate__()
print(type(state), str(state)[:80])
d = state[0] if isinstance(state, tuple) else state
d["loads"] = "overwritten"
print(json.loads)
s = real_super(type(json.dumps), json.dumps)
st = s.__getstate__()
print(st)
print(WON)
