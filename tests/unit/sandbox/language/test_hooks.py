"""`getattr` and its kin, and other roads around the syntax, when they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError, PolicyRefusal

Run = Callable[[str], Any]

DENIED = [
    "getattr((), '__ba' + 'se__')",
    "getattr((i for i in []), 'gi_' + 'frame')",
    "getattr(int, 'm' + 'ro')",
    "getattr(lambda: 0, '__glo' + 'bals__')",
    "class S(str): pass\ngetattr(lambda: 0, S('__code__'))",
    "import json\ngetattr(json, '_default_' + 'decoder')",
    "class A:\n    def f(self): return super\n",
    "import json\nsuper(json.JSONEncoder, json.JSONEncoder()).encode",
]


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.3", "SANDBOX 6.5", "SANDBOX 6.6")
@pytest.mark.parametrize("source", DENIED)
def test_a_road_around_the_syntax_is_refused_when_it_runs(run: Run, source: str) -> None:
    with pytest.raises((DeniedError, PolicyRefusal, TypeError)):
        run(source)


GIVES = {
    "class A:\n    def __init__(self): self._x = 1\na = A()\ngetattr(a, '_x'), hasattr(a, 'y'), getattr(a, 'y', 2)": (
        1,
        False,
        2,
    ),
    "hasattr((), '__base__'), hasattr(int, 'mro')": (False, False),
    "getattr(slice(1, 2), 'start', 9), getattr(slice(1, 2), 'nothing', 9)": (1, 9),
}


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 6.5")
@pytest.mark.parametrize(("source", "expected"), GIVES.items())
def test_a_name_as_text_reaches_what_a_name_in_the_syntax_reaches(
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
