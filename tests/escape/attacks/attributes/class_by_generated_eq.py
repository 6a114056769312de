# class: attributes
# layer: language
# must: read no private attribute of a class of the library
# ends: exception
import dataclasses, string
got = []
@dataclasses.dataclass(eq=True)
class A:
    _partial: object = None
class Spy:
    def __eq__(self, other):
        got.append(other)
        return True
class Own:
    _partial = Spy()
A.__eq__(Own, string.Template)
print(WON, got)
