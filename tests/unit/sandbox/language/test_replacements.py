"""What stands in views in place of functions of the library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[[str], Any]

TARGETS = [
    "import functools, json\nclass Spy:\n    def __setattr__(self, n, v): print(1)\nfunctools.wraps(json.dumps, assigned=('__globals__',), updated=())(Spy())",
    "import functools\nfunctools.update_wrapper(functools.reduce, lambda: 0)",
]


@pytest.mark.spec("SANDBOX 6.6")
@pytest.mark.parametrize("source", TARGETS)
def test_a_foreign_object_is_not_written_to(run: Run, source: str) -> None:
    printed: list[str] = []
    with pytest.raises((AttributeError, TypeError, ValueError, NameError)):
        printed.append(run(source).stdout)
    assert not printed


GIVES = {
    "import abc, dataclasses\nC = dataclasses.make_dataclass('C', ['a', ('b', int, dataclasses.field(default=1, init=False)), ('format', str, 'f'), ('z', int, 2)], bases=(abc.ABC,))\n"
    "D = dataclasses.dataclass(slots=True)(type('D', (C,), {}))\n"
    "N = dataclasses.make_dataclass('N', ['format'], bases=(abc.ABC,), match_args=False)\nC.__match_args__, D.__match_args__, hasattr(N, '__match_args__')": (
        ("a",),
        ("a",),
        False,
    ),
    "import dataclasses\nD = dataclasses.make_dataclass('D', [('x', int), ('y', int, dataclasses.field(default=2))], slots=True)\nD.__module__, repr(D(1)), D.__slots__": (
        "__main__",
        "D(x=1, y=2)",
        ("x", "y"),
    ),
    "import functools\ndef deco(f):\n    @functools.wraps(f)\n    def w(*a):\n        'w'\n        return f(*a)\n    return w\n@deco\ndef g(x):\n    'doc'\n    return x\ng.__name__, g.__doc__, g(1), g.__wrapped__(2)": (
        "g",
        "doc",
        1,
        2,
    ),
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
