# class: frames
# layer: language
# must: give no default of a library function behind a partial method
import inspect, functools, copy
def f(self): pass
f._partialmethod = functools.partialmethod(copy.deepcopy)
for p in inspect.signature(f).parameters.values():
    if type(p.default) is list: print(WON, p.default)
