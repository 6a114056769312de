"""Library functions that would do for a program what the policy refuses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[[str], Any]

#: Each would print if the text became code.
INJECTIONS = [
    "import collections\nclass S(str):\n    def __str__(self): return self\n    def isidentifier(self): return True\ncollections.namedtuple('X', [S('a, b=print(1)')])",
    "import collections\ncollections.namedtuple('X', ['a=print(1)'])",
    "import typing\nclass S(str):\n    def __str__(self): return self\n    def isidentifier(self): return True\ntyping.NamedTuple('X', [(S('a=print(1)'), int)])",
    "import dataclasses\ndataclasses.make_dataclass('X', [('a=print(1)', int)])",
    "import dataclasses\nclass S(str):\n    def isidentifier(self): return True\ndataclasses.make_dataclass('X', [(S('a=print(1)'), int)])",
    "import functools\n@functools.singledispatch\ndef f(x): return 0\ndef g(x: '[print(1), int][1]'): return 1\nf.register(g)",
    "import typing\ndef f(x: 'print(1)'): ...\ntyping.get_type_hints(f)",
    "import typing\nclass A:\n    x: 'print(1)'\ntyping.get_type_hints(A)",
    "import typing\nT = typing.TypeVar('T', bound='print(1)')\ndef f(x: T): ...\nT.__bound__._evaluate({}, {}, frozenset())",
    "import argparse, dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int = 0\np = argparse.ArgumentParser()\np.add_argument('--name')\np.parse_args(['--name', 'a=print(1)'], namespace=dataclasses.fields(A)[0])",
    "import copy, dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int = 0\nfield = dataclasses.fields(A)[0]\nclass R:\n    def __reduce__(self): return (lambda: field, (), (None, {'name': 'a=print(1)'}))\ncopy.copy(R())",
    "import copy\nclass R:\n    def __getstate__(self): return (None, {'__class__': int})\ncopy.copy(R())",
    "import functools, json\nclass Spy:\n    def __setattr__(self, n, v): print(1)\nfunctools.wraps(json.dumps, assigned=('__globals__',), updated=())(Spy())",
    "import functools\nfunctools.update_wrapper(functools.reduce, lambda: 0)",
    "import json, dataclasses\ndataclasses.dataclass(json.JSONDecoder)",
    "import typing, json, functools\n@functools.wraps(json.dumps, assigned=())\ndef f(x: 'JSONEncoder.__init__.__globals__'): ...\ntyping.get_type_hints(f)",
    "import typing, json, functools\n@functools.wraps(json.dumps, assigned=())\ndef f(x: 'codecs'): ...\ntyping.get_type_hints(f)",
]


@pytest.mark.spec("SANDBOX 6.6")
@pytest.mark.parametrize("source", INJECTIONS)
def test_text_and_foreign_objects_do_not_become_code_or_targets(run: Run, source: str) -> None:
    printed: list[str] = []
    with pytest.raises((AttributeError, TypeError, ValueError, NameError)):
        printed.append(run(source).stdout)
    assert not printed


GIVES = {
    "import enum\nclass C(enum.Enum):\n    def __new__(cls, v, label):\n        made = object.__new__(cls)\n        made._value_ = v\n        made.label = label\n        return made\n    RED = 1, 'red'\nC.RED.label, C(1) is C.RED": (
        "red",
        True,
    ),
    "import enum\nclass T(str, enum.Enum):\n    @staticmethod\n    def __new__(cls, v):\n        made = str.__new__(cls, v)\n        made._value_ = v\n        return made\n    A = 'a'\nT.A == 'a'": True,
    "import copy, string\nclass A:\n    def __init__(self): self.x = []\na = A()\nmemo = {}\nb = copy.deepcopy([a, a, string.Template('x')], memo)\nb[0] is b[1], b[0].x is a.x, memo[id(a)] is b[0]": (
        True,
        False,
        True,
    ),
    "import collections, copy\nd = {1: []}\nfirst, second = copy.deepcopy([collections.ChainMap(d), d])\nfirst.maps[0] is second, second is d": (
        True,
        False,
    ),
    "import collections\nclass D(collections.UserDict): pass\nlist((D(a=1) | {'b': 2}).copy().items()), type(D().copy()).__name__": (
        [("a", 1), ("b", 2)],
        "D",
    ),
    "import functools\nclass A:\n    def f(self, a, b): return (a, b)\n    g = functools.partialmethod(f, 1)\nA().g(2)": (
        1,
        2,
    ),
    "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as out:\n    print('a')\nout.getvalue()": "a\n",
    "import warnings\nwith warnings.catch_warnings(record=True) as seen:\n    warnings.simplefilter('always')\n    warnings.warn('x')\nstr(seen[0].message)": "x",
    "import collections\nP = collections.namedtuple('P', 'x, y', defaults=[2])\nP(1), P.__module__": (
        (1, 2),
        "__main__",
    ),
    "import typing\nP = typing.NamedTuple('P', [('x', int)])\nP(1).x": 1,
    "import dataclasses\nX = dataclasses.make_dataclass('X', ['a', ('b', int, dataclasses.field(default=2))])\nrepr(X(1))": "X(a=1, b=2)",
    "import functools\n@functools.singledispatch\ndef f(x): return 'any'\n@f.register\ndef _(x: int): return 'int'\n@f.register(str)\ndef _(x): return 'str'\nf(1), f('a'), f(2.0)": (
        "int",
        "str",
        "any",
    ),
    "from __future__ import annotations\nimport typing\nclass A: pass\ndef f(x: A, y: list[int] | None, z: typing.Optional[A] = None): ...\nh = typing.get_type_hints(f)\nh['x'] is A, str(h['y']), h['z'] == typing.Optional[A]": (
        True,
        "list[int] | None",
        True,
    ),
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nvars(p.parse_args(['--n', '3']))": {
        "n": 3
    },
    "import copy\nclass R:\n    def __init__(self, x): self.x = x\n    def __reduce__(self): return (R, (self.x + 1,), {'y': 2})\nc = copy.copy(R(1))\nc.x, c.y": (
        2,
        2,
    ),
    "import copy\nclass A:\n    __slots__ = ('x',)\na = A()\na.x = [1]\nb = copy.deepcopy(a)\nb.x, b.x is a.x": (
        [1],
        False,
    ),
    "import functools\ndef deco(f):\n    @functools.wraps(f)\n    def w(*a):\n        'w'\n        return f(*a)\n    return w\n@deco\ndef g(x):\n    'doc'\n    return x\ng.__name__, g.__doc__, g(1), g.__wrapped__(2)": (
        "g",
        "doc",
        1,
        2,
    ),
    "import enum\nE = enum.IntEnum('E', {'A': 3})\nE.A + 1, type(E.A).__name__": (4, "E"),
    "from operator import attrgetter, methodcaller, itemgetter\nclass A: pass\na = A()\na.b = A()\na.b.c = 'x'\nattrgetter('b.c')(a), attrgetter('b.c', 'b.c.upper')(a)[0], methodcaller('split', '-')('a-b')": (
        "x",
        "x",
        ["a", "b"],
    ),
}


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 5.4")
@pytest.mark.parametrize(("source", "expected"), GIVES.items())
def test_honest_use_is_as_in_python(run: Run, source: str, expected: object) -> None:
    assert run(source).result == expected


def test_library_code_still_makes_classes_of_its_own() -> None:
    import collections
    import enum

    assert collections.namedtuple("N", "x").__module__ == __name__  # pyright: ignore[reportUntypedNamedTuple]  # the function under test
    assert enum.Enum("E", "A").__module__ == __name__
