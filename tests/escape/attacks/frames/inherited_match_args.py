# class: frames
# layer: language
# must: never reach a frame
from abc import ABC
class Names:
    __match_args__ = ("gi_frame",)
class Peek(Names, ABC):
    pass
g = (i for i in [1])
Peek.register(type(g))
match g:
    case Peek(frame):
        print(WON, frame)
