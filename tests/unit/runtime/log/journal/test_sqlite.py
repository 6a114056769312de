"""The run journal: what reached a program, in order, apart from the log."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codemode.runtime.log import (
    LogError,
    LogFullError,
    LogReadOnlyError,
)
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.log.journal import (
    EntryKind,
    JournalRun,
    SqliteJournal,
    first_head,
)
from codemode.sandbox.values import Json

GRANTS: Json = {"tools.x": {"label": "x"}}
ENTRIES: list[tuple[EntryKind, int, float | None, Json]] = [
    ("call", 1, None, {"name": "x", "line": 1, "arguments": {"b": 1e22, "a": None}}),
    ("call", 2, None, {"name": "x", "line": 2, "arguments": {}}),
    ("reply", 2, 0.25, {"z": 1, "a": [1.0, 1, "é"]}),
    ("tick", 1, 0.5, None),
    ("fault", 1, 0.75, {"code": "DENIED", "message": "no"}),
    ("end", 0, None, {"logs": []}),
]


def a_run(call_id: str = "c1", **changes: Any) -> JournalRun:
    facts: dict[str, Any] = {
        "mode": "full",
        "began": 100.0,
        "program_sha256": "ab" * 32,
        "sdk_sha256": "cd" * 32,
        "grants_sha256": sha256_of(GRANTS),
        "seed": 7,
        "clock": 1.5,
        "limits": {"wall_s": 30.0},
        "engine": "codemode 0",
    }
    return JournalRun(session="s", call_id=call_id, **{**facts, **changes})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.sqlite.journal"


@pytest.fixture
def journal(path: Path) -> Iterator[SqliteJournal]:
    journal = SqliteJournal(path)
    yield journal
    journal.close()


def record(journal: SqliteJournal, run: JournalRun) -> str:
    journal.begin(run, GRANTS)
    for kind, subject, at, value in ENTRIES:
        journal.add(run, kind, value, subject=subject, at=at)
    return journal.end(run)


@pytest.mark.spec("AUDIT 3.1")
def test_a_full_journal_gives_back_everything_in_order(journal: SqliteJournal, path: Path) -> None:
    run = a_run()
    record(journal, run)
    again = SqliteJournal(path, read_only=True)
    assert again.run("s", "c1") == run
    entries = list(again.entries(run))
    assert [(e.kind, e.subject, e.at, e.value) for e in entries] == ENTRIES
    assert [e.number for e in entries] == [1, 2, 3, 4, 5, 6]
    assert all(e.has_value for e in entries)
    assert again.grants(run) == GRANTS
    again.close()


@pytest.mark.spec("AUDIT 3.1", "AUDIT 3.3")
def test_values_keep_the_order_of_their_keys(journal: SqliteJournal) -> None:
    record(journal, a_run())
    reply = next(e for e in journal.entries(a_run()) if e.kind == "reply")
    assert isinstance(reply.value, dict)
    assert list(reply.value) == ["z", "a"]
    assert [type(item) for item in reply.value["a"]] == [float, int, str]  # type: ignore[union-attr]


@pytest.mark.spec("AUDIT 3.1")
def test_a_digest_journal_keeps_no_value(journal: SqliteJournal) -> None:
    run = a_run(mode="digest")
    record(journal, run)
    for entry, (*_, value) in zip(journal.entries(run), ENTRIES, strict=True):
        assert entry.digest == sha256_of(value)
        assert not entry.has_value
        assert entry.value is None


@pytest.mark.spec("AUDIT 3.1")
def test_a_digest_proves_the_same_as_the_values_do(journal: SqliteJournal) -> None:
    full, digest = a_run("full"), a_run("digest", mode="digest")
    record(journal, full)
    record(journal, digest)
    assert [e.digest for e in journal.entries(full)] == [e.digest for e in journal.entries(digest)]


@pytest.mark.spec("AUDIT 3.1")
def test_the_head_stands_for_facts_and_entries(journal: SqliteJournal) -> None:
    run = a_run()
    given = record(journal, run)
    head = first_head(run)
    for entry in journal.entries(run):
        head = entry.chained(head)
    assert given == head == journal.head(run)
    assert record(journal, a_run("c2")) != given
    assert first_head(a_run(seed=8)) != first_head(run)


def test_a_run_that_never_ended_has_no_head(journal: SqliteJournal) -> None:
    run = a_run()
    journal.begin(run, GRANTS)
    journal.add(run, "tick", None, subject=1, at=0.5)
    assert journal.head(run) is None
    assert len(list(journal.entries(run))) == 1


@pytest.mark.spec("AUDIT 3.1")
def test_of_a_redacted_value_not_even_a_digest_is_kept(journal: SqliteJournal) -> None:
    run = a_run()
    journal.begin(run, GRANTS)
    journal.add(run, "reply", "[redacted]", subject=1, at=0.5, redacted=True)
    journal.end(run)
    (entry,) = journal.entries(run)
    assert (entry.value, entry.digest) == ("[redacted]", None)


@pytest.mark.spec("AUDIT 3.1")
def test_a_retention_time_forgets_old_runs_whole(journal: SqliteJournal, path: Path) -> None:
    old, new = a_run("old", began=10.0), a_run("new", began=20.0)
    record(journal, old)
    record(journal, new)
    assert journal.prune(15.0) == 1
    assert journal.run("s", "old") is None
    assert list(journal.entries(old)) == []
    assert len(list(journal.entries(new))) == len(ENTRIES)
    assert journal.grants(new) == GRANTS
    assert journal.prune(30.0) == 1
    assert journal.grants(new) is None


@pytest.mark.spec("AUDIT 3.1")
def test_a_forgotten_run_leaves_no_value_in_any_file_and_is_known_as_forgotten(
    journal: SqliteJournal, path: Path
) -> None:
    run = a_run("old", began=10.0)
    journal.begin(run, {"tools.secretive": {}})
    journal.add(run, "reply", "the old value " * 1_000, subject=1, at=0.0)
    journal.end(run)
    assert journal.pruned_at("s", "old") is None
    before = time.time()
    assert journal.prune(15.0) == 1
    for file in path.parent.iterdir():
        assert b"old value" not in file.read_bytes(), file
        assert b"secretive" not in file.read_bytes(), file
    assert before <= (journal.pruned_at("s", "old") or 0) <= time.time()
    assert journal.pruned_at("s", "other") is None
    reader = SqliteJournal(path, read_only=True)
    assert reader.pruned_at("s", "old") == journal.pruned_at("s", "old")
    reader.close()


@pytest.mark.spec("AUDIT 3.1")
def test_a_run_that_goes_on_outlives_its_retention_time_until_it_ends(
    journal: SqliteJournal, path: Path
) -> None:
    run = a_run("long", began=10.0)
    journal.begin(run, GRANTS)
    journal.add(run, "reply", 1, subject=1, at=0.0)
    assert journal.prune(100.0) == 0
    journal.add(run, "reply", 2, subject=2, at=0.0)
    journal.end(run)
    assert len(list(journal.entries(run))) == 2
    assert (journal.count(), journal.count(10.0), journal.count(11.0)) == (1, 0, 1)
    assert journal.prune(100.0) == 1


def test_what_comes_of_a_run_after_another_process_forgot_it_is_forgotten_too(
    journal: SqliteJournal, path: Path
) -> None:
    run = a_run("long", began=10.0)
    journal.begin(run, GRANTS)
    other = SqliteJournal(path)
    assert other.prune(100.0) == 1
    other.close()
    journal.add(run, "reply", "late value", subject=1, at=0.0)
    assert len(journal.end(run)) == 64
    assert list(journal.entries(run)) == []


def test_a_full_disk_and_a_folder_that_is_not_there_are_said(
    journal: SqliteJournal, path: Path
) -> None:
    run = a_run()
    journal.begin(run, GRANTS)
    connection = journal._connection  # pyright: ignore[reportPrivateUsage] # to make its disk full
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages + 1}")
    beside, later = a_run("beside"), a_run("later")
    journal.begin(beside, GRANTS)
    journal.add(beside, "reply", 1, subject=1, at=0.0)
    journal.add(run, "reply", "x" * 1_000_000, subject=1, at=0.0)
    with pytest.raises(LogFullError, match="free some space"):
        journal.end(run)
    # What lay in memory beside it is lost as well, and that run must not end as if it were whole.
    with pytest.raises(LogFullError):
        journal.end(beside)
    connection.execute("PRAGMA max_page_count=1000000")
    record(journal, later)
    assert len(list(journal.entries(later))) == len(ENTRIES)
    assert journal.head(beside) is None
    with pytest.raises(LogReadOnlyError, match="No such file"):
        SqliteJournal(path.parent / "missing" / "journal")


def test_many_entries_stream(journal: SqliteJournal) -> None:
    run = a_run()
    journal.begin(run, GRANTS)
    for number in range(1, 1001):
        journal.add(run, "reply", number, subject=number, at=0.0)
    assert [entry.value for entry in journal.entries(run)] == list(range(1, 1001))
    journal.end(run)


def test_a_value_too_deep_for_the_fast_encoder_is_kept(journal: SqliteJournal) -> None:
    run = a_run()
    deep: Json = 0
    for _ in range(5_000):
        deep = [deep]
    journal.begin(run, GRANTS)
    journal.add(run, "reply", deep, subject=1, at=0.0)
    journal.end(run)
    (entry,) = journal.entries(run)
    assert entry.digest == sha256_of(entry.value)


def test_a_run_is_journaled_once(journal: SqliteJournal) -> None:
    journal.begin(a_run(), GRANTS)
    with pytest.raises(LogError):
        journal.begin(a_run(), GRANTS)
