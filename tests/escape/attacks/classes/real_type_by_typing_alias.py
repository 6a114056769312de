# class: classes
# layer: language
# must: not hand out the real type
import typing
real = typing.Type.__origin__
print(WON, real("X", (), {"__init_subclass__": classmethod(lambda cls: None)}))
