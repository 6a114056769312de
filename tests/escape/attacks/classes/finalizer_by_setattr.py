# class: classes
# layer: language
# must: be refused
class A:
    pass
setattr(A, "__del__", lambda self: print(WON))
A()
