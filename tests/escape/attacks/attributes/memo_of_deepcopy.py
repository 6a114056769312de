# class: attributes
# layer: language
# must: give nothing private of a tool
# ends: exception
import copy
m = {}
copy.deepcopy(tools.echo, m)
d = [x for x in m[id(m)] if type(x) is dict and "_caller" in x][0]
print(WON, d)
