# class: classes
# layer: language
# must: be refused
import types
class F(types.FunctionType):
    pass
print(WON, F)
