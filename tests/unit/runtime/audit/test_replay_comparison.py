"""What counts as the same, what differs first, and what may be the cause."""

from __future__ import annotations

from typing import Any

import pytest

from codemode.runtime.audit.comparison import Difference, causes, first_difference, is_same
from codemode.sandbox.values import Json

pytestmark = pytest.mark.spec("AUDIT 3.2")


def outcome(*texts: str, **changes: Any) -> dict[str, Any]:
    return {
        "logs": [{"stream": "stdout", "text": text} for text in texts],
        "has_result": False,
        "result": None,
        "failure": None,
        "notices": [],
        "artifacts": {},
        **changes,
    }


def failure(kind: str, message: str = "") -> dict[str, Any]:
    return {
        "kind": kind,
        "message": message,
        "traceback": "",
        "line": None,
        "limit": None,
        "exception": None,
    }


@pytest.mark.spec("AUDIT 3.3")
def test_addresses_are_no_difference() -> None:
    assert is_same("<object at 0x7f0000000001>", "<object at 0x7f00000000ff>")
    assert is_same({"a": ["0x7ffff7665360"]}, {"a": ["0x7ffff76653a0"]})
    assert not is_same("0x7f0000000001 a", "0x7f0000000001 b")
    assert not is_same("0x1", "0x2")


def test_an_integer_and_a_float_are_not_the_same_number() -> None:
    assert first_difference(outcome(result=1), outcome(result=1)) is None
    assert first_difference(outcome(has_result=True), outcome()) is not None


def test_the_first_line_that_differs_is_named() -> None:
    assert first_difference(outcome("a\nb\nc\n"), outcome("a\nx\nc\n")) == Difference(
        what="output, line 2", recorded="b\n", replayed="x\n"
    )
    assert first_difference(outcome("a\n"), outcome("a\nb\n")) == Difference(
        what="output, line 2", recorded=None, replayed="b\n"
    )


def test_the_same_text_on_another_stream_differs() -> None:
    other = outcome()
    other["logs"] = [{"stream": "stderr", "text": "a"}]
    found = first_difference(outcome("a"), other)
    assert found is not None
    assert found.what == "the output's streams"


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("failure", None, failure("exception", "ValueError")),
        ("result", [1], [2]),
        ("notices", [], ["refused"]),
        ("artifacts", {"a": "11"}, {"a": "22"}),
    ],
)
def test_every_part_of_an_outcome_counts(key: str, old: Json, new: Json) -> None:
    found = first_difference(outcome("x", **{key: old}), outcome("x", **{key: new}))
    assert found is not None
    assert (found.recorded, found.replayed) == (old, new)


@pytest.mark.parametrize("replayed", ["one\ntwo\nth", "one\ntwo\nthree\nfour\n", "one\ntwo\n"])
def test_a_run_ended_from_outside_is_compared_as_far_as_both_came(replayed: str) -> None:
    recorded = outcome("one\ntwo\nthree\n", failure=failure("timeout"))
    assert first_difference(recorded, outcome(replayed, failure=failure("abort"))) is None


def test_a_run_ended_from_outside_can_differ_all_the_same() -> None:
    recorded = outcome("one\ntwo\n", failure=failure("timeout"))
    found = first_difference(recorded, outcome("one\nzwei\nthree\n"))
    assert found is not None
    assert found.what == "output, line 2"


@pytest.mark.spec("AUDIT 3.3")
def test_causes_are_named() -> None:
    by = {"recorded_by": "A", "replayed_by": "A"}
    changed = Difference(what="output", recorded="1", replayed="2")
    assert causes(changed, "print(1)", **by) == ()
    assert "id()" in causes(changed, "print(id(x))", **by)[0]
    order = Difference(what="output", recorded="a b", replayed="b a")
    assert "a set of objects" in causes(order, "print(s)", **by)[0]
    assert causes(changed, "", recorded_by="A", replayed_by="B") == (
        "recorded by A, replayed by B",
    )
