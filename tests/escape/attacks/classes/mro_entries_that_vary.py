# class: classes
# layer: language
# must: give no module
# ends: exception
import contextlib, types
n = [0]
def f(bases):
    n[0] += 1
    return (object,) if n[0] < 2 else (contextlib.redirect_stdout,)
ns = types.SimpleNamespace(**{"__mro_entries__": f})
class R(ns):
    _stream = "mod" + "ules"
    def __exit__(self, *a): pass
    def look(self): return self._old_targets
r = R(None)
import sys
try:
    r.__enter__()
finally:
    m = r.look()[0]
    print(m['builtins'])
print(WON)
