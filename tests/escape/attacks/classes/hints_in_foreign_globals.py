# class: classes
# layer: language
# must: not resolve a name in a library's own namespace
import functools, types, typing
@functools.wraps(types.DynamicClassAttribute.getter, assigned=())
def f(x: "CodeType"):
    pass
print(WON, typing.get_type_hints(f)["x"])
