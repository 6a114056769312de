# class: classes
# layer: language
# must: be refused
real = (int | type).__args__[1]
print(WON, real("X", (), {"__init_subclass__": None}))
