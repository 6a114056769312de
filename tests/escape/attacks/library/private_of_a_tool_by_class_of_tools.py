# class: library
# layer: language
# must:  give nothing private of a tool
N = type(tools)
try:
    N.__init__(tools.echo, "x")
except TypeError as e:
    print(e)
print(WON, N.__getitem__(tools.echo, "_caller"))
