# class: frames
# layer: language
# must: never reach a frame
from abc import ABCMeta
from collections import namedtuple
class Peek(namedtuple("Row", "cr_code"), metaclass=ABCMeta):
    @classmethod
    def __subclasshook__(cls, other):
        return True
async def work():
    pass
c = work()
match c:
    case Peek(code):
        print(WON, code)
