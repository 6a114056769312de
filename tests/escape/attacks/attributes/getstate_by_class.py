# class: attributes
# layer: language
# must: give nothing private of a tool
# ends: exception
class A: pass
print(WON, A.__getstate__(tools.echo))
