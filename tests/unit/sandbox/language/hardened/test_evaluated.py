"""Annotations as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[[str], Any]

#: Each would print if the text became code.
INJECTIONS = [
    "import functools\n@functools.singledispatch\ndef f(x): return 0\ndef g(x: '[print(1), int][1]'): return 1\nf.register(g)",
    "import typing\ndef f(x: 'print(1)'): ...\ntyping.get_type_hints(f)",
    "import typing\nclass A:\n    x: 'print(1)'\ntyping.get_type_hints(A)",
    "import typing\nT = typing.TypeVar('T', bound='print(1)')\ndef f(x: T): ...\nT.__bound__._evaluate({}, {}, frozenset())",
    "import typing, json, functools\n@functools.wraps(json.dumps, assigned=())\ndef f(x: 'JSONEncoder.__init__.__globals__'): ...\ntyping.get_type_hints(f)",
    "import typing, json, functools\n@functools.wraps(json.dumps, assigned=())\ndef f(x: 'codecs'): ...\ntyping.get_type_hints(f)",
]


@pytest.mark.spec("SANDBOX 6.6")
@pytest.mark.parametrize("source", INJECTIONS)
def test_an_annotation_does_not_become_code(run: Run, source: str) -> None:
    printed: list[str] = []
    with pytest.raises((AttributeError, TypeError, ValueError, NameError)):
        printed.append(run(source).stdout)
    assert not printed


GIVES = {
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
}


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 5.4")
@pytest.mark.parametrize(("source", "expected"), GIVES.items())
def test_honest_annotations_are_resolved(run: Run, source: str, expected: object) -> None:
    assert run(source).result == expected
