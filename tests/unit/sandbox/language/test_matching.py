"""`except*` for plain groups, and for nothing that could run code while it matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError

Run = Callable[[str], Any]


@pytest.mark.spec("SANDBOX 5.1")
def test_groups_are_split_and_what_is_left_goes_on(run: Run) -> None:
    source = (
        "seen = []\n"
        "try:\n"
        "    try:\n"
        "        raise ExceptionGroup('g', [ValueError('a'), TypeError('b'), KeyError('c')])\n"
        "    except* ValueError as group:\n"
        "        seen.append([str(e) for e in group.exceptions])\n"
        "    except* TypeError:\n"
        "        seen.append('type')\n"
        "except ExceptionGroup as rest:\n"
        "    seen.append([type(e).__name__ for e in rest.exceptions])\n"
        "seen + [1]"
    )
    assert run(source).result == [["a"], "type", ["KeyError"], 1]


def test_a_body_without_an_error_runs_its_else(run: Run) -> None:
    source = "r = []\ntry: r.append(1)\nexcept* ValueError: r.append(2)\nelse: r.append(3)\nfinally: r.append(4)\nr + []"
    assert run(source).result == [1, 3, 4]


@pytest.mark.parametrize(
    "error",
    [
        "ValueError(1)",
        "type('G', (ExceptionGroup,), {'split': lambda self, kind: 1})('g', [ValueError()])",
        "own",
    ],
)
def test_what_is_no_plain_group_is_refused(run: Run, error: str) -> None:
    source = f"own = ExceptionGroup('g', [ValueError()])\nown.split = lambda kind: 1\ntry:\n    raise {error}\nexcept* ValueError: pass"
    with pytest.raises(DeniedError, match=r"plain groups of errors only"):
        run(source)


def test_the_end_of_a_program_is_no_error_to_refuse(run: Run) -> None:
    with pytest.raises(SystemExit):
        run("try: exit(0)\nexcept* ValueError: pass")
