# class: frames
# layer: language
# must: never reach a frame
from abc import ABC
from dataclasses import dataclass
@dataclass
class Peek(ABC):
    gi_frame: object
@dataclass
class Back(ABC):
    f_builtins: object
g = (i for i in [1])
Peek.register(type(g))
match g:
    case Peek(frame):
        Back.register(type(frame))
        match frame:
            case Back(found):
                print(WON, len(found))
