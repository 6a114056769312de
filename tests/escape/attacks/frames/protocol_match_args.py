# class: frames
# layer: language
# must: never reach a frame
from typing import Protocol, runtime_checkable
@runtime_checkable
class Peek(Protocol):
    __match_args__ = ("gi_frame",)
    gi_frame: object
match (i for i in [1]):
    case Peek(frame):
        print(WON, frame)
