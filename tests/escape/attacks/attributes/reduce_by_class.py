# class: attributes
# layer: language
# must: give nothing private of a tool
# ends: exception
class A: pass
print(WON, A.__reduce_ex__(tools.echo, 4)[2], A.__reduce_ex__(int, 4))
