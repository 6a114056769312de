# class: classes
# layer: language
# must: be refused
A = type("A", (), {"__del__": lambda self: print(WON)})
A()
