# class: library
# layer: language
# must: give no accessor without a check
import functools, json
class K: pass
w = K()
functools.update_wrapper(w, K, ("__setattr__",), ())
f = w.__dict__["__setattr__"]
print(f)
f(json.dumps, "spoiled", 1)
print(WON)
