"""Exceptions as text for a model."""

from __future__ import annotations

from typing_extensions import override

from codemode.runtime.failures import MAX_INSIDE, describe_exception


def test_a_key_error_says_that_it_is_one() -> None:
    assert describe_exception(KeyError("plum")) == "KeyError: 'plum'"
    assert describe_exception(KeyError()) == "KeyError"


def test_a_group_says_what_is_in_it() -> None:
    inner = ExceptionGroup("deep", [KeyError("k"), OSError(2, "no such file")])
    group = ExceptionGroup("unhandled errors in a TaskGroup", [ValueError("bad"), inner])
    assert describe_exception(group) == (
        "unhandled errors in a TaskGroup (2 sub-exceptions); ValueError: bad; KeyError: 'k';"
        " FileNotFoundError: [Errno 2] no such file"
    )


def test_a_group_of_many_is_bounded() -> None:
    group = ExceptionGroup("many", [ValueError("x" * 5_000)] * 50)
    text = describe_exception(group)
    assert text.count("ValueError") == MAX_INSIDE
    assert len(text) < 8_100


def test_an_exception_that_will_not_say_is_named_by_its_type() -> None:
    class Mute(Exception):
        @override
        def __str__(self) -> str:
            raise RuntimeError

    assert describe_exception(Mute()) == "Mute"
    assert describe_exception(ExceptionGroup("g", [Mute()])) == "g (1 sub-exception); Mute"
