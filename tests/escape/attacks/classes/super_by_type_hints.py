# class: classes
# layer: language
# must: not make a class unchecked
import typing, warnings, math
def f(x: "super"): pass
S = typing.get_type_hints(f)['x']
cw = warnings.catch_warnings()
m = S(warnings.catch_warnings, cw).__getstate__()['_module']
print(m, m.sys)
print(m.sys.meta_path[0].load_module('builtins').eval('().__class__.__base__.__subclasses__', {}))
S(type(math), math).__getstate__()['pi'] = 3
print(math.pi)
print(WON)
