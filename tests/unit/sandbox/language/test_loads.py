"""Attributes that are read with the object in hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError, PolicyRefusal

Run = Callable[[str], Any]

DENIED = [
    "import random\nrandom._os",
    "len.__self__",
    "import asyncio\nasyncio.Task.get_stack",
    "vars()",
    "import json\nvars(json)",
    "print.__code__.co_argcount",
    "import json\njson.dumps.__code__.co_varnames",
    "import functools\nfunctools.lru_cache(len).__code__.co_argcount",
    "class A: __code__ = 5\nA().__code__.co_argcount",
    "str.__dict__",
    "def f(): pass\nf.__dict__['a'] = 1\nprint.__dict__",
    "import functools\nfunctools.reduce.__wrapped__",
]


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.3", "SANDBOX 6.5", "SANDBOX 6.6")
@pytest.mark.parametrize("source", DENIED)
def test_what_would_lead_out_is_not_read(run: Run, source: str) -> None:
    with pytest.raises((DeniedError, PolicyRefusal, TypeError)):
        run(source)


GIVES = {
    "def f(a, /, b, *c, d=1): e = 2\nf.__code__.co_argcount, f.__code__.co_posonlyargcount, f.__code__.co_kwonlyargcount, f.__code__.co_varnames[:3]": (
        2,
        1,
        1,
        ("a", "b", "d"),
    ),
    "class A:\n    def f(self, a): ...\nA().f.__code__.co_argcount, (lambda x: x).__code__.co_argcount": (
        2,
        1,
    ),
    "def curry(f, *a): return f(*a) if len(a) == f.__code__.co_argcount else lambda b: curry(f, *a, b)\ncurry(lambda x, y: x - y)(5)(3)": 2,
    "import dataclasses, typing\n@typing.final\n@dataclasses.dataclass(order=True)\nclass A: x: int\nA.__dataclass_params__.order, A.__final__": (
        True,
        True,
    ),
    "class A:\n    def __init__(self): self.x = 1\nA().__dict__": {"x": 1},
    "class A: x = 1\nsorted(k for k in vars(A) if k[0] != '_')": ["x"],
    "class A:\n    def __init__(self, **k): self.__dict__.update(k)\nA(q=2).q": 2,
    "(1).__class__ is int, type(1) is int, type(int).__name__": (True, True, "type"),
    "class A: pass\nA().__class__.__name__": "A",
    "class A:\n    _one = None\n    def __new__(cls):\n        if cls._one is None: cls._one = super().__new__(cls)\n        return cls._one\nA() is A()": True,
    "class A:\n    def f(self): return 1\nm = A().f\nm.__self__.__class__.__name__, m.__func__.__name__": (
        "A",
        "f",
    ),
    "def f(a: int) -> str: ...\nf.__annotations__": {"a": int, "return": str},
    "import collections\nP = collections.namedtuple('P', 'x y')\np = P(1, 2)._replace(x=3)\np._asdict(), P._fields": (
        {"x": 3, "y": 2},
        ("x", "y"),
    ),
    "class A: pass\nclass B(A): pass\nclass C(B): pass\n[k.__name__ for k in C.__mro__], C.mro() == list(C.__mro__), C.__bases__[0] is B, B.__base__ is A, A.__subclasses__()[0] is B": (
        ["C", "B", "A", "object"],
        True,
        True,
        True,
        True,
    ),
    "import enum, typing\nclass E(enum.Enum): A = 1\nclass P(typing.Protocol): ...\nE.__mro__[1] is enum.Enum, P.__bases__ == (typing.Protocol,)": (
        True,
        True,
    ),
    "class A:\n    def __init__(self): self.mro = 5\nclass B:\n    def mro(self): return 6\nA().mro, B().mro(), B.mro(0)": (
        5,
        6,
        6,
    ),
    "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\n    y: int = 2\nf = P.__dataclass_fields__\nf.clear()\nsorted(P.__dataclass_fields__), [f.name for f in dataclasses.fields(P(1))]": (
        ["x", "y"],
        ["x", "y"],
    ),
    "class A:\n    __tablename__ = 'a'\n    def __div__(self, other): return other\n    __metaclass__ = type\nA.__tablename__, A().__div__(3)": (
        "a",
        3,
    ),
}


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 6.5")
@pytest.mark.parametrize(("source", "expected"), GIVES.items())
def test_objects_of_the_programs_own_behave_as_ever(
    run: Run, source: str, expected: object
) -> None:
    assert run(source).result == expected
