# class: classes
# layer: language
# must: not hand out the namespace of the builtins
import typing
def f(x: "__builtins__"):
    pass
found = typing.get_type_hints(f)["x"]
found["len"] = lambda x: WON
print(len("inert"))
