# class: classes
# layer: language
# must: be refused: an abstract class claims any object
import dataclasses, abc
@dataclasses.dataclass
class C(abc.ABC):
    format: object
C.register(str)
match "{0.__class__.__mro__}":
    case C(f):
        print(WON, f(1))
