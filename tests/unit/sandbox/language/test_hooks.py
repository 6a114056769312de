"""The checks that run with the object in hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError

Run = Callable[[str], Any]

DENIED = [
    "getattr((), '__ba' + 'se__')",
    "getattr((i for i in []), 'gi_' + 'frame')",
    "getattr(int, 'm' + 'ro')",
    "getattr(lambda: 0, '__glo' + 'bals__')",
    "class S(str): pass\ngetattr(lambda: 0, S('__code__'))",
    "import random\nrandom._os",
    "import json\ngetattr(json, '_default_' + 'decoder')",
    "str.upper = 1",
    "setattr(str, 'upper', 1)",
    "import json\njson.dumps = 1",
    "import json\ndel json.dumps",
    "import json\njson.JSONEncoder.default = 1",
    "import dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int = 0\ndataclasses.fields(A)[0].name = 'x'",
    "import dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int = 0\nobject.__setattr__(dataclasses.fields(A)[0], 'name', 'x')",
    "import dataclasses\ndataclasses.Field.name.__set__(1, 2)",
    "class A: pass\nA.__dict__['x'] = 1\nsetattr(A(), '__cla' + 'ss__', int)",
    "len.__self__",
    "(1).__reduce_ex__(4)",
    "import asyncio\nasyncio.Task.get_stack",
    "class A(Exception): pass\nsetattr(A(), '__trace' + 'back__', None)",
    "vars()",
    "import json\nvars(json)",
    "str.__dict__",
    "def f(): pass\nf.__dict__['a'] = 1\nprint.__dict__",
    "import functools\nfunctools.reduce.__wrapped__",
    "class A:\n    def f(self): return super\n",
    "import json\nsuper(json.JSONEncoder, json.JSONEncoder()).encode",
    "object.__getattribute__(lambda: 0, '__glo' + 'bals__')",
]


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.3", "SANDBOX 6.5", "SANDBOX 6.6")
@pytest.mark.parametrize("source", DENIED)
def test_a_road_around_the_syntax_is_refused_when_it_runs(run: Run, source: str) -> None:
    with pytest.raises((DeniedError, TypeError, Exception)) as caught:
        run(source)
    assert caught.type.__name__ in {"DeniedError", "PolicyRefusal", "TypeError"}


GIVES = {
    "class A:\n    def __init__(self): self._x = 1\na = A()\ngetattr(a, '_x'), hasattr(a, 'y'), getattr(a, 'y', 2)": (
        1,
        False,
        2,
    ),
    "class A: pass\na = A()\nsetattr(a, '_data', 5)\na._data": 5,
    "class A: pass\na = A()\na.x = 1\ndel a.x\nhasattr(a, 'x')": False,
    "def f(): f.n += 1\nf.n = 0\nf()\nf.n": 1,
    "class A: k = 1\nA.k += 4\nA.k": 5,
    "import decimal\ndecimal.getcontext().prec = 6\nstr(decimal.Decimal(1) / 3)": "0.333333",
    "import types\nn = types.SimpleNamespace()\nn.x = 1\nn.x": 1,
    "try:\n    raise ValueError('a')\nexcept ValueError as e:\n    e.code = 3\ne2 = ValueError()\ne2.code = 4\ne2.code": 4,
    "hasattr((), '__base__'), hasattr(int, 'mro')": (False, False),
    "class A:\n    def __init__(self): self.x = 1\nA().__dict__": {"x": 1},
    "class A: x = 1\nsorted(k for k in vars(A) if k[0] != '_')": ["x"],
    "class A:\n    def __init__(self, **k): self.__dict__.update(k)\nA(q=2).q": 2,
    "(1).__class__ is int, type(1) is int, type(int).__name__": (True, True, "type"),
    "class A: pass\nA().__class__.__name__": "A",
    "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass P:\n    x: int\n    def __post_init__(self): object.__setattr__(self, 'y', self.x + 1)\nP(1).y": 2,
    "class A:\n    def __setattr__(self, n, v): super().__setattr__(n, v * 2)\na = A()\na.x = 2\na.x": 4,
    "class A:\n    _one = None\n    def __new__(cls):\n        if cls._one is None: cls._one = super().__new__(cls)\n        return cls._one\nA() is A()": True,
    "class A:\n    def f(self): return 1\nm = A().f\nm.__self__.__class__.__name__, m.__func__.__name__": (
        "A",
        "f",
    ),
    "def f(a: int) -> str: ...\nf.__annotations__": {"a": int, "return": str},
    "getattr(slice(1, 2), 'start', 9), getattr(slice(1, 2), 'nothing', 9)": (1, 9),
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
    "class M:\n    def __getattr__(self, name): return name.upper()\nM().abc": "ABC",
}


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 6.5")
@pytest.mark.parametrize(("source", "expected"), GIVES.items())
def test_objects_of_the_programs_own_behave_as_ever(
    run: Run, source: str, expected: object
) -> None:
    assert run(source).result == expected


@pytest.mark.spec("SANDBOX 5.6")
def test_a_refusal_at_run_time_says_what_to_use_instead(run: Run) -> None:
    with pytest.raises(
        DeniedError, match=r"__base__.*use it on a class of your own, or isinstance\(\)"
    ):
        run("getattr((), '__base' + '__')")


def test_getattr_complains_about_its_arguments_as_the_builtin_does(run: Run) -> None:
    with pytest.raises(TypeError, match="at least 2 arguments, got 0"):
        run("getattr()")
