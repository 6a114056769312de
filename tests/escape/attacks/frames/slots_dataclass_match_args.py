# class: frames
# layer: language
# must: never reach a frame
from abc import ABC
from dataclasses import dataclass, KW_ONLY
@dataclass(slots=True)
class Peek(ABC):
    gi_yieldfrom: object
    gi_code: object
def g():
    yield from [1]
x = g()
Peek.register(type(x))
match x:
    case Peek(a, b):
        print(WON, b)
