# class: classes
# layer: language
# must: make no class with a base that is not open
# ends: exception
import contextlib, types
n = [0]
def f(bases):
    n[0] += 1
    return (object,) if n[0] < 2 else (contextlib.redirect_stdout,)
ns = tools.echo(v={"a": 1})
ns["__mro_entries__"] = f
class R(ns):
    _stream = "mod" + "ules"
print(WON, R)
