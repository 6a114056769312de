"""Objects that the library fills."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[[str], Any]

TARGETS = [
    "import argparse, dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int = 0\np = argparse.ArgumentParser()\np.add_argument('--name')\np.parse_args(['--name', 'a=print(1)'], namespace=dataclasses.fields(A)[0])",
    "import copy, dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int = 0\nfield = dataclasses.fields(A)[0]\nclass R:\n    def __reduce__(self): return (lambda: field, (), (None, {'name': 'a=print(1)'}))\ncopy.copy(R())",
    "import copy\nclass R:\n    def __getstate__(self): return (None, {'__class__': int})\ncopy.copy(R())",
]


@pytest.mark.spec("SANDBOX 6.6")
@pytest.mark.parametrize("source", TARGETS)
def test_a_foreign_object_is_not_filled(run: Run, source: str) -> None:
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
    "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as out:\n    print('a')\nout.getvalue()": "a\n",
    "import warnings\nwith warnings.catch_warnings(record=True) as seen:\n    warnings.simplefilter('always')\n    warnings.warn('x')\nstr(seen[0].message)": "x",
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
}


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 5.4")
@pytest.mark.parametrize(("source", "expected"), GIVES.items())
def test_honest_use_is_as_in_python(run: Run, source: str, expected: object) -> None:
    assert run(source).result == expected
