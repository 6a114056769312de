# class: frames
# layer: language
# must: never reach a frame
from abc import ABCMeta
from typing import NamedTuple
class Row(NamedTuple):
    tb_frame: object
class Peek(Row, metaclass=ABCMeta):
    @classmethod
    def __subclasshook__(cls, other):
        return True
class Catch:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        match trace:
            case Peek(frame):
                print(WON, frame)
        return True
with Catch():
    1 / 0
