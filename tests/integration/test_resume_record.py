"""The journal of a killed host has no last word in the log: what the log then says against a change."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from interrupted import Host

from codemode.runtime.log.canonical import encode, sha256_of
from codemode.runtime.resumption import ResumeRefusedError

pytestmark = [pytest.mark.anyio, pytest.mark.spec("AUDIT 3.4")]

PROGRAM = """
print(tools.write(text="a"), open("in.txt").read())
try:
    tools.write(text=1)
except ToolCallError as error:
    print(error.code)
try:
    tools.write(text="fail")
except ToolCallError as error:
    print(error)
tools.die()
print(tools.write(text="b"))
"""
Change = Callable[[sqlite3.Connection], object]


def entry(kind: str, subject: int, value: Any, /, **columns: Any) -> Change:
    """Give an entry another value, with its digest, and other columns."""
    columns |= {"value": encode(value), "digest": sha256_of(value)}
    names = ", ".join(f"{name} = ?" for name in columns)
    return lambda journal: journal.execute(
        f"UPDATE entry SET {names} WHERE kind = ? AND subject = ?",
        (*columns.values(), kind, subject),
    )


def facts(**changes: Any) -> Change:
    """Change what the run depended on."""

    def change(journal: sqlite3.Connection) -> None:
        (body,) = journal.execute("SELECT facts FROM run").fetchone()
        journal.execute("UPDATE run SET facts = ?", (encode({**json.loads(body), **changes}),))

    return change


def without(*numbers: int) -> Change:
    """Take entries out, and number the others anew."""

    def change(journal: sqlite3.Connection) -> None:
        for number in sorted(numbers, reverse=True):
            journal.execute("DELETE FROM entry WHERE number = ?", (number,))
            rest = journal.execute("SELECT number FROM entry WHERE number > ?", (number,))
            for (later,) in sorted(rest.fetchall()):
                journal.execute("UPDATE entry SET number = ? WHERE number = ?", (later - 1, later))

    return change


async def killed(host: Host) -> str:
    return await host.killed(PROGRAM, files={"in.txt": b"in"})


async def test_the_record_of_a_killed_host_is_used_as_it_is(tmp_path: Path) -> None:
    host = Host(tmp_path)
    call_id = await killed(host)
    host.done.clear()
    result = await host.resumed(call_id, answers={4: None})
    assert not result.is_error, result.text
    assert "wrote a in" in result.text
    assert host.done == ["b"]


ANOTHER = "the journal has another answer to call"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (entry("reply", 1, "wrote x"), ANOTHER),
        (entry("reply", 1, "enough", kind="stop"), ANOTHER),
        (entry("reply", 1, {"code": "LIMIT", "message": "no"}, kind="fault"), ANOTHER),
        (entry("fault", 3, "wrote fail", kind="reply"), ANOTHER),
        (entry("fault", 3, {"code": "DENIED", "message": "it must not"}), ANOTHER),
        (entry("fault", 3, {"code": "TOOL_ERROR", "message": "another"}), ANOTHER),
        (entry("fault", 3, ["TOOL_ERROR"]), "is no such entry"),
        (entry("call", 1, {"name": ["x"], "line": 1, "arguments": {}}), "is no such entry"),
        (entry("reply", 1, "wrote a", at="soon"), "is no such entry"),
        (entry("file", 0, {"path": "in.txt", "text": "out"}), "that the run began with"),
        (without(1), "that the run began with"),
        (without(2), "answers what was not asked"),
        (without(2, 3), "does not have submission 1"),
        (facts(seed=1), "another seed than the log"),
        (facts(clock=1.0), "another clock than the log"),
        (facts(limits={}), "another limits than the log"),
        (facts(artifacts=["*"]), "that the run began with"),
    ],
)
async def test_a_changed_record_of_a_killed_host_is_not_believed(
    tmp_path: Path, change: Change, reason: str
) -> None:
    host = Host(tmp_path)
    call_id = await killed(host)
    host.done.clear()
    with closing(sqlite3.connect(host.case.journal)) as journal, journal:
        change(journal)
    with pytest.raises(ResumeRefusedError, match=reason):
        await host.resumed(call_id, answers={4: None})
    assert host.done == []


async def test_what_a_resumed_run_has_from_the_run_before_is_held_against_that(
    tmp_path: Path,
) -> None:
    host = Host(tmp_path)
    call_id = await host.interrupted(
        'print(tools.write(text="a"))\ntools.look(name="stop")\ntools.die()\n'
    )
    second = await host.resumed(call_id)
    host.case = type(host.case)(host.case.log.parent / "after")
    host.done.clear()
    with closing(sqlite3.connect(host.case.journal)) as journal, journal:
        mine = f"call_id = '{second.call_id}'"
        value = encode("wrote x")
        journal.execute(
            f"UPDATE entry SET value = ?, digest = ? WHERE {mine} AND subject = 1"
            " AND kind = 'reply'",
            (value, sha256_of("wrote x")),
        )
    with pytest.raises(ResumeRefusedError, match=f"{ANOTHER} 1"):
        await host.resumed(second.call_id, answers={3: None})
    assert host.done == []
