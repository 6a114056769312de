# class: classes
# layer: language
# must:  give no real type, super or method
import abc
import asyncio
import functools
import logging
import statistics
import traceback
import types
import unittest

await asyncio.sleep(0)
loop = asyncio.get_running_loop()
got = []


class Ratio:
    def as_integer_ratio(self):
        return (1, 1)


class Error(Exception):
    def above(self):
        return super()


class Own(Ratio):
    def above(self):
        return super()


def f(self):
    pass


vars(f).update(
    {
        "as_integer_ratio": lambda: (1, 1),
        "__traceback__": None,
        "__cause__": None,
        "__context__": None,
        "__suppress_context__": False,
    }
)
Own.f = f


class Kinds:
    def get(self, kind, *_):
        got.append(kind)


class Case(unittest.TestCase):
    def runTest(self):
        self._type_equality_funcs = Kinds()
        self.assertEqual(self.debug, self.debug)


class Box:
    pass


def cause(of):
    box = Box()
    box.__cause__, box.__context__, box.__suppress_context__ = of, None, False
    got.append(traceback.TracebackException(ValueError, box, None).__cause__.exc_type)


class Claims(abc.ABC):
    @classmethod
    def __subclasshook__(cls, _):
        raise ValueError("x")


@functools.singledispatch
def g(x):
    return x


g.register(Claims, lambda _: 1)


def dispatch(of):
    try:
        g(of)
    except ValueError as e:
        got.extend(e.__context__.args)


class Log(logging.Handler):
    def emit(self, record):
        got.append(record.exc_info[0])


logging.getLogger("asyncio").addHandler(Log())


def told(of):
    loop.default_exception_handler({"message": "x", "exception": of})
    loop.call_exception_handler({"message": "x", "exception": of})


ways = [
    lambda: Case().debug(),
    lambda: cause(Error().above()),
    lambda: cause(Own().f),
    lambda: got.append(statistics._sum([Own().above()])[0]),
    lambda: got.append(statistics._sum([Own().f])[0]),
    lambda: dispatch(Own().f),
    lambda: dispatch(Own().above()),
    lambda: told(Error().above()),
    lambda: told(Own().f),
    lambda: told(Own),
]
for way in ways:
    try:
        way()
    except (AttributeError, TypeError) as e:
        print(e)
for kind in got:
    if kind not in (type(got), type(1), None) and kind is not types.MethodType and kind is not type:
        print(WON, kind)
