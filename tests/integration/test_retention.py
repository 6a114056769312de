"""A journal with a retention time: what is too old is gone, and a replay says so."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from replaying import Case

from codemode import ToolRuntime, tool
from codemode.runtime.audit import verify
from codemode.runtime.errors import MisuseError
from codemode.runtime.log import open_store
from codemode.runtime.log.journal import SqliteJournal

pytestmark = [pytest.mark.anyio, pytest.mark.spec("AUDIT 3.1")]

VALUE = "what only the journal holds"


@tool(effects={"read"})
async def told() -> str:
    """Tell."""
    return VALUE


def made_older(journal: Path, call_id: str, age: timedelta) -> None:
    """Let a run have begun longer ago; its chain is broken by it, which retention does not read."""
    connection = sqlite3.connect(journal)
    connection.execute(
        "UPDATE run SET began = began - ? WHERE call_id = ?", (age.total_seconds(), call_id)
    )
    connection.commit()
    connection.close()


async def test_a_run_whose_time_is_over_is_forgotten_at_the_next_start(tmp_path: Path) -> None:
    case = Case(tmp_path)
    old = await case.record("tools.told()", [told])
    made_older(case.journal, old.call_id, timedelta(days=31))
    new = await case.record("tools.told()", [told], journal_retention=timedelta(days=30))
    assert (await case.replay(new.call_id)).verdict == "identical"
    pruned = await case.replay(old.call_id)
    assert (pruned.verdict, pruned.exit_status) == ("impossible", 2)
    today = datetime.now(UTC).strftime("%Y-%m")
    assert f"was pruned on {today}" in pruned.reason
    store = open_store(case.log, read_only=True)
    assert verify(store).ok, "the log is the record: retention leaves it alone"
    store.close()


async def test_a_host_that_lives_long_forgets_as_new_runs_begin(tmp_path: Path) -> None:
    log, journal = tmp_path / "log.sqlite", tmp_path / "log.sqlite.journal"
    keep = timedelta(milliseconds=1)
    async with ToolRuntime(
        [told], mode="code", log=log, journal="full", journal_retention=keep
    ) as runtime:
        first = await runtime.run_code("tools.told()")
        made_older(journal, first.call_id, timedelta(hours=1))
        await runtime.run_code("1")
    reader = SqliteJournal(journal, read_only=True)
    assert reader.count() == 1
    reader.close()
    assert VALUE.encode() not in journal.read_bytes()


async def test_without_a_retention_time_nothing_is_forgotten(tmp_path: Path) -> None:
    case = Case(tmp_path)
    old = await case.record("tools.told()", [told])
    made_older(case.journal, old.call_id, timedelta(days=10_000))
    await case.record("1")
    reader = SqliteJournal(case.journal, read_only=True)
    assert reader.count() == 2
    reader.close()


async def test_a_run_that_was_taken_out_of_the_journal_is_not_said_to_be_pruned(
    tmp_path: Path,
) -> None:
    case = Case(tmp_path)
    call_id = (await case.record("tools.told()", [told])).call_id
    connection = sqlite3.connect(case.journal)
    connection.execute("DELETE FROM run")
    connection.commit()
    connection.close()
    assert "or it was taken out" in (await case.replay(call_id)).reason
    case.journal.unlink()
    assert "its journal is not here" in (await case.replay(call_id)).reason


async def test_a_retention_time_needs_a_journal_and_is_longer_than_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite"
    with pytest.raises(MisuseError, match="journal_retention"):
        ToolRuntime(log=log, journal_retention=timedelta(days=1))
    with pytest.raises(MisuseError, match="longer than nothing"):
        ToolRuntime(log=log, journal="full", journal_retention=timedelta(0))
