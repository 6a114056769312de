# class: classes
# layer: language
# must: be refused
real = type[int].__origin__
print(WON, real("X", (), {"__init_subclass__": None}))
