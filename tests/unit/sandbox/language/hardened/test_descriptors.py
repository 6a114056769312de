"""Descriptors of the library in the classes of programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[[str], Any]

GIVES = {
    "import functools\nclass A:\n    def f(self, a, b): return (a, b)\n    g = functools.partialmethod(f, 1)\nA().g(2)": (
        1,
        2,
    ),
}


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 5.4")
@pytest.mark.parametrize(("source", "expected"), GIVES.items())
def test_honest_use_is_as_in_python(run: Run, source: str, expected: object) -> None:
    assert run(source).result == expected
