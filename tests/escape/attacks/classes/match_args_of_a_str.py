# class: classes
# layer: language
# must: be refused: the pattern would give str.format unvetted
import dataclasses
@dataclasses.dataclass(init=False, repr=False, eq=False)
class S(str):
    format: object
match S("{0.__class__.__mro__}"):
    case S(f):
        print(WON, f(1))
