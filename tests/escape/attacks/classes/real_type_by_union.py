# class: classes
# layer: language
# must: be refused
real = (type | int).__args__[0]
made = real("X", (), {"__del__": lambda self: print(WON)})
made()
print(WON, real)
