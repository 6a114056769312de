# class: attributes
# layer: language
# must: give no module
# ends: exception
import dataclasses, pathlib
got = []
@dataclasses.dataclass(init=False, match_args=False)
class A(pathlib.PurePosixPath):
    _flavour: object
    parser: object
    def __init__(self, *parts, **named):
        got.append(named)
dataclasses.replace(A("a"))
print(WON, got)
