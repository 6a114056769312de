# class: attributes
# layer: language
# must: give no module
# ends: exception
import dataclasses, warnings
got = []
@dataclasses.dataclass
class A:
    _module: object = None
class Spy:
    def __eq__(self, other):
        got.append(other)
        return True
A.__eq__(warnings.catch_warnings(module=Spy()), warnings.catch_warnings())
print(WON, got)
