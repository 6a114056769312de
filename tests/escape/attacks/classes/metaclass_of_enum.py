# class: classes
# layer: language
# must: not make a class unchecked
import enum
M = enum.EnumMeta
body = M.__prepare__("E", (enum.Enum,))
print(WON, M("E", (enum.Enum,), body))
