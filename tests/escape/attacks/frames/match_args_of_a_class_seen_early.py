# class: frames
# layer: language
# must: refuse positions that read a coroutine before anybody sees the class
from abc import ABCMeta
from collections import namedtuple


class Early:
    def __set_name__(self, owner, name):
        kept.append(owner)


kept = []
Row = namedtuple("Row", "cr_code")
try:

    class Peek(Row, metaclass=ABCMeta):
        early = Early()

        @classmethod
        def __subclasshook__(cls, kind):
            return True

except AttributeError:
    pass


async def f(): ...


Peek = kept[0]
match f():
    case Peek(code):
        print(WON, code.co_consts)
