# class: classes
# layer: language
# must: be refused: an heir adds what the pattern reads
import dataclasses
@dataclasses.dataclass
class C:
    format: object
class D(C, str):
    def __init__(self, *a): pass
    def __eq__(self, o): return NotImplemented
d = D("{0.__class__.__mro__}")
match d:
    case C(f):
        print(WON, f(1))
