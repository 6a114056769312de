"""Names that become source text or classes."""

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
    "import json, dataclasses\ndataclasses.dataclass(json.JSONDecoder)",
]


@pytest.mark.spec("SANDBOX 6.6")
@pytest.mark.parametrize("source", INJECTIONS)
def test_a_name_does_not_become_code(run: Run, source: str) -> None:
    printed: list[str] = []
    with pytest.raises((AttributeError, TypeError, ValueError, NameError)):
        printed.append(run(source).stdout)
    assert not printed


GIVES = {
    "import collections\nP = collections.namedtuple('P', 'x, y', defaults=[2])\nP(1), P.__module__": (
        (1, 2),
        "__main__",
    ),
    "import typing\nP = typing.NamedTuple('P', [('x', int)])\nP(1).x": 1,
    "import dataclasses\nX = dataclasses.make_dataclass('X', ['a', ('b', int, dataclasses.field(default=2))])\nrepr(X(1))": "X(a=1, b=2)",
    "import enum\nE = enum.IntEnum('E', {'A': 3})\nE.A + 1, type(E.A).__name__": (4, "E"),
}


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 5.4")
@pytest.mark.parametrize(("source", "expected"), GIVES.items())
def test_honest_names_make_what_they_make_in_python(
    run: Run, source: str, expected: object
) -> None:
    assert run(source).result == expected


def test_library_code_still_makes_classes_of_its_own() -> None:
    import collections
    import enum

    assert collections.namedtuple("N", "x").__module__ == __name__  # pyright: ignore[reportUntypedNamedTuple]  # the function under test
    assert enum.Enum("E", "A").__module__ == __name__
