"""Output is shown to the host's function as it comes; what that does wrong is said to be its own."""

from __future__ import annotations

from typing import Any

import pytest

from codemode.sandbox.bridge.messages import Out
from codemode.sandbox.limits import Limits
from codemode.sandbox.output import Logs
from codemode.sandbox.program import LogEntry, Program


def test_each_piece_is_shown_and_kept() -> None:
    shown: list[LogEntry] = []
    logs = Logs(Limits(), shown.append)
    for text in ("a", "b\n"):
        assert logs.add(Out(stream="stdout", text=text)) is None
    assert [entry.text for entry in shown] == ["a", "b\n"]
    assert [entry.text for entry in logs.entries()] == ["ab\n"]


async def later(entry: LogEntry) -> None: ...


def broken(entry: LogEntry) -> None:
    raise ValueError("no screen")


def test_a_function_that_fails_is_named() -> None:
    with pytest.raises(ValueError, match="no screen") as caught:
        Logs(Limits(), broken).add(Out(stream="stdout", text="a"))
    assert caught.value.__notes__ == ["on_output failed"]
    not_plain: Any = later
    with pytest.raises(TypeError, match="on_output is async; it must be a plain function"):
        Logs(Limits(), not_plain).add(Out(stream="stdout", text="a"))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"files": {"a": "text"}}, "'a' maps str to str: encode the text"),
        ({"files": {1: b""}}, "1 maps int to bytes"),
        ({"files": ["a"]}, "files maps names to bytes; it is list"),
        ({"artifacts": "out/*"}, "several patterns"),
    ],
)
def test_files_that_no_guest_could_be_given_are_refused_on_the_host(
    given: dict[str, Any], says: str
) -> None:
    with pytest.raises(TypeError, match=says):
        Program(source="", **given)
