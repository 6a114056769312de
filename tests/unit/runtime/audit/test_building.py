"""From events to the tree: nothing that a log may hold is dropped, and nothing makes it fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import recorded

from codemode.runtime.audit import Filter, build_tree, render_tree
from codemode.runtime.audit.building import turns_of
from codemode.runtime.audit.reading import ReadableEvents
from codemode.runtime.audit.report import render_html
from codemode.runtime.log import Event, chain
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.sandbox.values import FrozenDict

RECORDS = recorded()


def event(seq: int, kind: str, data: dict[str, Any], **changes: Any) -> Event:
    fields: dict[str, Any] = {
        "time": "2031-05-01T12:00:00.000000Z", "session": "s", "turn": 1, "step": 1, "version": 1,
        "prev": chain.GENESIS, "hash": "0" * 64,
    }  # fmt: skip
    return Event(seq=seq, type=kind, data=FrozenDict(data), **{**fields, **changes})


@pytest.mark.spec("AUDIT 1.1", "AUDIT 2.1")
def test_what_this_engine_does_not_know_is_shown_with_its_call_or_its_turn() -> None:
    tree = build_tree(
        [
            event(1, "fs/early", {}, turn=None),
            event(2, "turn/open", {}),
            event(3, "tool/call", {"call_id": "c", "name": "t", "arguments": "{}"}),
            event(4, "fs/observed", {"call_id": "c"}),
            event(5, "fs/observed", {"path": "/x"}),
            event(6, "tool/call", {"surprise": 1}, version=9),
            event(7, "tool/result", {"nonsense": True}),
            event(8, "turn/close", {}),
            event(9, "fs/observed", {"call_id": "c"}, turn=None),
            event(10, "tool/newer", {}, turn=None),
        ]
    )
    first, second = tree.turns
    assert first.number is None
    assert [note.seq for note in first.notes] == [1]
    (call,) = second.calls
    assert [note.seq for note in call.notes] == [4, 9]
    assert [note.seq for note in second.notes] == [5, 6, 7, 10]
    text = render_tree(tree)
    for line in ("outside of any turn", "fs/early #1", "tool/call #6, version 9", "tool/newer #10"):
        assert line in text
    assert [n.seq for t in Filter(text="surprise").apply(tree).turns for n in t.notes] == [6]


@pytest.mark.spec("AUDIT 2.1")
def test_a_turn_is_given_when_the_next_one_begins() -> None:
    taken: list[int] = []

    def events() -> Iterator[Event]:
        for seq, record in enumerate(RECORDS, start=1):
            taken.append(seq)
            yield record.event()

    turns = turns_of(events(), {})
    assert next(turns).number == 1
    assert RECORDS[taken[-1] - 1].type == "turn/open"
    assert len(taken) < len(RECORDS)
    assert [turn.number for turn in turns] == [2]


def test_a_chain_of_parents_of_any_length_is_shown() -> None:
    events = [
        event(1, "turn/open", {}),
        event(2, "tool/call", {"call_id": "0", "name": "t", "arguments": "{}"}),
    ]
    for n in range(1, 5_000):
        ids = {"root_call_id": "0", "parent_call_id": str(n - 1), "sub_call_id": str(n)}
        events.append(
            event(n + 2, "tool/code-dispatch-start", {**ids, "name": "t", "arguments": 1})
        )
    tree = build_tree(events)
    lines = render_tree(tree).splitlines()
    assert sum("t(1)" in line for line in lines) == 4_999
    assert all(len(line) <= 80 for line in lines)
    assert tree.as_json()["events"] == 5_001


@pytest.mark.spec("AUDIT 2.1", "AUDIT 2.3")
@given(
    at=st.integers(0, len(RECORDS) - 1),
    position=st.integers(0, 2_000),
    piece=st.binary(min_size=1, max_size=3)
    | st.sampled_from([b"9", b"99", b"null", b'"x"', b"{}"]),
)
def test_a_log_that_was_changed_anywhere_is_still_shown(
    at: int, position: int, piece: bytes
) -> None:
    body = RECORDS[at].body
    position %= len(body)
    changed = replace(RECORDS[at], body=body[:position] + piece + body[position + len(piece) :])
    store = MemoryStore([*RECORDS[:at], changed, *RECORDS[at + 1 :]])
    events = ReadableEvents(store, "s_demo")
    tree = build_tree(events)
    assert tree.events + events.unreadable == len(RECORDS)
    assert events.unreadable <= 1
    assert render_tree(tree)
    assert "verify" in render_html(store)


def test_digits_that_are_no_time_have_no_duration() -> None:
    tree = build_tree(
        [
            event(1, "turn/open", {}),
            event(2, "tool/call", {"call_id": "c", "name": "t", "arguments": "{}"}),
            event(
                3,
                "tool/result",
                {"call_id": "c", "is_error": False},
                time="2031-99-99T99:99:99.000000Z",
            ),
        ]
    )
    assert tree.turns[0].calls[0].duration_ms is None
    assert tree.turns[0].calls[0].outcome == "ok"


@pytest.mark.spec("AUDIT 2.1")
@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("UNKNOWN_OUTCOME", "unknown"),
        ("ABORTED", "aborted"),
        ("ABORTED_BEFORE_DISPATCH", "aborted"),
        ("TOOL_ERROR", "error"),
    ],
)
def test_a_call_of_the_models_has_the_outcomes_that_a_programs_call_has(
    code: str, outcome: str
) -> None:
    info = {"name": "x", "code": code, "layer": "log", "body_started": True}
    tree = build_tree(
        [
            event(1, "turn/open", {}),
            event(2, "tool/call", {"call_id": "c", "name": "t", "arguments": "{}"}),
            event(3, "tool/result", {"call_id": "c", "is_error": True, "error_info": info}),
        ]
    )
    ((call,),) = (turn.calls for turn in Filter(outcome=outcome).apply(tree).turns)
    assert call.outcome == outcome
