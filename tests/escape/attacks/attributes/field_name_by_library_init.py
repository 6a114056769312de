# class: attributes
# layer: language
# must: never give the interpreter's own setattr
# ends: exception
import dataclasses, logging
@dataclasses.dataclass
class A:
    x: int = 0
field = A.__dataclass_fields__["x"]
try:
    logging.LogRecord.__init__(field, "__closure__", 1, "p", 1, "m", (), None)
except AttributeError:
    pass
@dataclasses.dataclass(match_args=False)
class B(A):
    pass
got = []
class Spy:
    def __eq__(self, other):
        got.append(other)
        return True
def outer():
    a = b = Spy()
    def inner():
        return a, b
    return inner
B.__eq__(outer(), setattr)
print(WON, got)
