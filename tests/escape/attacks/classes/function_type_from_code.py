# class: classes
# layer: language
# must: be refused
import types
print(WON, types.FunctionType((lambda: 1).__code__, {}))
