# class: formatting
# layer: language
# must: be refused
import types
print(WON, types.MethodType(str.format, "{0.gi_frame}")(i for i in [1]))
