"""Special methods of the interpreter's, called by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError, PolicyRefusal

Run = Callable[[str], Any]

DENIED = [
    "import dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int = 0\nobject.__setattr__(dataclasses.fields(A)[0], 'name', 'x')",
    "import dataclasses\ndataclasses.Field.name.__set__(1, 2)",
    "(1).__reduce_ex__(4)",
    "object.__getattribute__(lambda: 0, '__glo' + 'bals__')",
]


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.3", "SANDBOX 6.5", "SANDBOX 6.6")
@pytest.mark.parametrize("source", DENIED)
def test_they_do_no_more_by_hand_than_by_syntax(run: Run, source: str) -> None:
    with pytest.raises((DeniedError, PolicyRefusal, TypeError)):
        run(source)


GIVES = {
    "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass P:\n    x: int\n    def __post_init__(self): object.__setattr__(self, 'y', self.x + 1)\nP(1).y": 2,
    "class A:\n    def __setattr__(self, n, v): super().__setattr__(n, v * 2)\na = A()\na.x = 2\na.x": 4,
    "class M:\n    def __getattr__(self, name): return name.upper()\nM().abc": "ABC",
}


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 6.5")
@pytest.mark.parametrize(("source", "expected"), GIVES.items())
def test_they_serve_objects_of_the_programs_own(run: Run, source: str, expected: object) -> None:
    assert run(source).result == expected
