# class: classes
# layer: language
# must: be refused
import enum
E = enum.Enum("E", {"__init_subclass__": classmethod(lambda cls: print(WON)), "A": 1})
print(WON, E)
