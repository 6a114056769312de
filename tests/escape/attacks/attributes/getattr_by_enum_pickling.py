# class: attributes
# layer: language
# must: give no unchecked accessor
# ends: exception
import enum
g = enum.pickle_by_enum_name(tools, 1) if False else None
class E(enum.Enum): A = 1
g = enum.pickle_by_enum_name(E.A, 4)[0]
print(WON, g(len, "__self__"))
