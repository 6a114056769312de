# class: attributes
# layer: language
# must: be refused
class A:
    pass
class B:
    pass
x = A()
setattr(x, "__class__", B)
print(WON, isinstance(x, B))
