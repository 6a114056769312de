# class: classes
# layer: language
# must: be refused
import typing
def f(x: "(lambda: 0).__globals__"):
    pass
print(WON, typing.get_type_hints(f, {"a": 1}))
