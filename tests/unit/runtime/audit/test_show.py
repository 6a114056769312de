"""The tree and its text."""

from __future__ import annotations

import io
import json
import re
from datetime import datetime
from typing import Any

import pytest
from recorded import HISTORY
from typing_extensions import override

from codemode.runtime.audit import Filter, SessionTree, build_tree, render_tree, wants_colour
from codemode.runtime.audit.show import cells, clean, cut
from codemode.runtime.log import Event, chain, open_store, read_events
from codemode.sandbox.values import FrozenDict


@pytest.fixture
def tree() -> SessionTree:
    store = open_store(HISTORY, read_only=True)
    try:
        return build_tree(read_events(store, "s_demo"))
    finally:
        store.close()


def line_of(text: str, part: str) -> str:
    return next(line for line in text.splitlines() if part in line)


@pytest.mark.spec("AUDIT 2.1")
def test_the_tree_shows_turns_programs_and_their_calls(tree: SessionTree) -> None:
    text = render_tree(tree)
    assert "session s_demo" in text
    assert 'run_code c1 "count commits"' in text
    assert re.search(r"L1 +git\.log\(max_count=3\) +ok +1\.2 ms", text)
    assert re.search(r"L9 +fetch\(id=0\) +error +3\.8 ms", text)
    assert line_of(text, "run_code").index("run_code") < line_of(text, "git.log").index("L1")


@pytest.mark.spec("AUDIT 2.1")
def test_a_denial_stands_out_with_who_and_why(tree: SessionTree) -> None:
    lines = render_tree(tree).splitlines()
    at = next(i for i, line in enumerate(lines) if "git.commit" in line)
    assert "DENIED" in lines[at]
    assert "denied by read-only (pre): this session may not write" in lines[at + 1]


@pytest.mark.spec("AUDIT 2.1")
def test_approvals_refusals_and_late_ends_are_shown(tree: SessionTree) -> None:
    text = render_tree(tree)
    assert "approval allowed by cli:ada, waited 2.1 s" in text
    assert "never started: invalid_arguments" in text
    assert "never started: unknown_tool, claimed by the guest" in text
    assert "ended late, after it had settled as unknown: ok" in text
    assert "redacted in the log: arguments" in text
    assert "received: id=1" in text
    assert "fs/observed #" in text


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_asked(tree: SessionTree, width: int) -> None:
    assert all(cells(line) <= width for line in render_tree(tree, width=width).splitlines())


def test_colours_are_an_addition_and_nothing_else(tree: SessionTree) -> None:
    plain = render_tree(tree)
    coloured = render_tree(tree, colour=True)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


@pytest.mark.spec("AUDIT 2.1")
@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (Filter(tool="git.*"), {"git.log", "git.commit"}),
        (Filter(outcome="denied"), {"git.commit"}),
        (Filter(outcome="refused"), {"fetch", "fetsh"}),
        (Filter(outcome="unknown", tool="fetch"), {"fetch"}),
        (Filter(text="fix the DOOR —"), {"git.log"}),
        (Filter(text="503"), {"fetch"}),
        (Filter(since=datetime.fromisoformat("2031-05-01T12:00:00.053500Z")), {"publish"}),
        (Filter(until=datetime.fromisoformat("2031-05-01T11:00:00Z")), set[str]()),
    ],
)
def test_filters_keep_what_was_asked_for_and_its_parents(
    tree: SessionTree, wanted: Filter, names: set[str]
) -> None:
    filtered = wanted.apply(tree)
    calls = [call for turn in filtered.turns for call in turn.calls]
    leaves = {child.name for call in calls for child in call.children}
    leaves |= {call.name for call in calls if not call.children}
    assert leaves == names
    assert Filter().apply(tree) is tree


@pytest.mark.spec("AUDIT 2.1")
def test_the_tree_is_json_too(tree: SessionTree) -> None:
    data = json.loads(json.dumps(tree.as_json()))
    call = data["turns"][0]["calls"][0]
    assert call["name"] == "run_code"
    assert call["program"].startswith("commits = ")
    assert [child["outcome"] for child in call["children"]] == [
        "ok", "denied", "error", "ok", "unknown", "refused", "refused",
    ]  # fmt: skip
    assert call["children"][1]["decision"]["rule"] == "read-only"


@pytest.mark.spec("AUDIT 4.1")
def test_the_same_events_give_the_same_tree(tree: SessionTree) -> None:
    store = open_store(HISTORY, read_only=True)
    events = list(read_events(store, "s_demo"))
    store.close()
    assert build_tree(events) == tree


def nested(name: str, arguments: Any) -> SessionTree:
    def event(seq: int, kind: str, data: dict[str, Any]) -> Event:
        return Event(
            seq=seq,
            time="2031-05-01T12:00:00.000000Z",
            session="s",
            turn=1,
            step=1,
            type=kind,
            version=1,
            data=FrozenDict(data),
            prev=chain.GENESIS,
            hash="0" * 64,
        )

    ids = {"root_call_id": "c", "parent_call_id": "c", "sub_call_id": "c:code:1", "name": name}
    return build_tree(
        [
            event(1, "turn/open", {}),
            event(2, "tool/call", {"call_id": "c", "name": "run_code", "arguments": "[1"}),
            event(3, "tool/code-dispatch-start", {**ids, "arguments": arguments}),
            event(4, "tool/code-dispatch", {"broken": True}),
        ]
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b[2J\x1b[1;1H",
        "a\rb",
        "line\nfeed",
        "\u202egnp.exe",
        "\x9b31m",
        "\u2066x",
        "\x00",
        "\x7f",
    ],
)
def test_untrusted_text_cannot_move_the_cursor_or_the_order(hostile: str) -> None:
    text = render_tree(nested(hostile, {hostile: hostile}), width=120)
    assert len(text.splitlines()) == 5
    assert not set(text.replace("\n", "")) & set("\x1b\r\x9b\u202e\u2066\x00\x7f")


def test_a_log_that_ends_early_or_holds_nonsense_is_still_shown() -> None:
    text = render_tree(nested("t", {"text": "x" * 10_000_000}))
    assert "OPEN" in line_of(text, "t(text=")
    assert all(len(line) <= 80 for line in text.splitlines())
    alone = build_tree([])
    assert "0 events" in render_tree(alone)


def test_wide_characters_take_two_columns() -> None:
    assert cells("漢字") == 4
    assert cells("e\u0301") == 1
    assert cut("漢字漢字", 5) == "漢字…"
    assert cut("abc", 3) == "abc"
    assert clean("é→漢") == "é→漢"


@pytest.mark.spec("AUDIT 2.1")
def test_colours_are_for_terminals_that_want_them() -> None:
    class Terminal(io.StringIO):
        @override
        def isatty(self) -> bool:
            return True

    assert wants_colour(Terminal(), {})
    assert not wants_colour(Terminal(), {"NO_COLOR": "1"})
    assert not wants_colour(Terminal(), {"TERM": "dumb"})
    assert not wants_colour(io.StringIO(), {})
