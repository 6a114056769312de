"""The arguments of a call as text."""

from __future__ import annotations

import pytest

from codemode.runtime.typecheck.calls import call_at
from codemode.runtime.typecheck.text import ProgramText


def may_unpack(source: str) -> bool:
    call = call_at(ProgramText(source).code, 0, len(source))
    assert call is not None
    return call.may_unpack


@pytest.mark.spec("SDK 2.1")
@pytest.mark.parametrize(
    "source",
    ["f(*xs)", "f(a=1, **more)", "f({'a': 1, 'b': 2})", "f(given)", "f(g(1, 2))", "f(a == b)"],
)
def test_an_argument_that_may_stand_for_several_is_seen(source: str) -> None:
    assert may_unpack(source)


@pytest.mark.parametrize(
    "source",
    ["f()", "f('a')", "f(f'{x}')", "f(-1)", "f([x])", "f(a, b)", "f(a=x)", "f(x.g(), a=1)"],
)
def test_an_argument_that_is_one_value_is_seen(source: str) -> None:
    assert not may_unpack(source)


@pytest.mark.parametrize("source", ["f", "", ")", "f(')'"])
def test_what_ends_in_no_call_is_none(source: str) -> None:
    assert call_at(ProgramText(source).code, 0, len(source)) is None
