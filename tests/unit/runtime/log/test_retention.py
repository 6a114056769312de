"""How long the journal keeps a run."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from codemode.runtime.log.journal import JournalRun, SqliteJournal
from codemode.runtime.log.retention import Retention

DAY = 86_400.0


def began(at: float) -> JournalRun:
    return JournalRun(
        session="s",
        call_id=f"c{at:g}",
        mode="full",
        began=at,
        program_sha256="ab" * 32,
        sdk_sha256="cd" * 32,
        grants_sha256="ef" * 32,
        seed=1,
        clock=at,
    )


@pytest.mark.spec("AUDIT 3.1")
def test_runs_are_forgotten_when_their_time_is_over_and_not_before(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "j")
    for day in range(5):
        journal.begin(began(day * DAY), {})
        journal.end(began(day * DAY))
    retention = Retention(journal, timedelta(days=3))
    assert retention.apply(4 * DAY) == 1
    assert journal.run("s", "c0") is None
    assert journal.run("s", f"c{DAY:g}") is not None
    assert retention.apply(4 * DAY + 60) == 0, "it is not time to look again"
    assert retention.apply(20 * DAY) == 4
    journal.close()


def test_a_short_retention_is_looked_at_more_often(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "j")
    retention = Retention(journal, timedelta(seconds=10))
    assert retention.apply(100.0) == 0
    journal.begin(began(90.5), {})
    journal.end(began(90.5))
    assert retention.apply(101.5) == 1
    journal.close()


@pytest.mark.parametrize("keep", [timedelta(0), timedelta(days=-1)])
def test_nothing_is_no_retention_time(keep: timedelta, tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "j")
    with pytest.raises(ValueError, match="longer than nothing"):
        Retention(journal, keep)
    journal.close()
