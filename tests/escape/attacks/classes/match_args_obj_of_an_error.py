# class: classes
# layer: language
# must: be refused: obj of an error is whatever was behind it
import dataclasses, abc
@dataclasses.dataclass
class C(abc.ABC):
    obj: object
class E(AttributeError): pass
C.register(E)
try: len.foo
except AttributeError as e: err = e
x = E("q", name="n", obj=len)
match x:
    case C(f):
        print(WON, f)
