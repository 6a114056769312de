# class: classes
# layer: language
# must: be refused: on 3.13 the parser of a path is a module
import dataclasses, abc, pathlib
class P(pathlib.PurePosixPath): pass
@dataclasses.dataclass
class C(abc.ABC):
    parser: object
C.register(P)
match P("/a"):
    case C(f):
        print(WON, f)
