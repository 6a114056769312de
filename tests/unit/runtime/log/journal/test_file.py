"""The file of a journal: how it is made, and what is refused to be one."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from codemode.runtime.log import LogError, LogFormatError, LogVersionError
from codemode.runtime.log.journal import SqliteJournal, journal_path


def test_a_new_journal_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite.journal"
    SqliteJournal(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.spec("AUDIT 3.1")
def test_the_journal_lies_beside_its_log() -> None:
    assert journal_path(Path("a/log.sqlite")) == Path("a/log.sqlite.journal")


def test_files_of_another_kind_or_a_newer_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("hello " * 100)
    with pytest.raises(LogFormatError):
        SqliteJournal(path)
    other = sqlite3.connect(tmp_path / "other")
    other.execute("CREATE TABLE mine (x)")
    other.close()
    before = (tmp_path / "other").read_bytes()
    with pytest.raises(LogFormatError, match="another program"):
        SqliteJournal(tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == before
    SqliteJournal(tmp_path / "newer").close()
    newer = sqlite3.connect(tmp_path / "newer")
    newer.execute("PRAGMA user_version=99")
    newer.close()
    with pytest.raises(LogVersionError):
        SqliteJournal(tmp_path / "newer")
    with pytest.raises(LogError):
        SqliteJournal(tmp_path / "missing" / "x")
    with pytest.raises(LogError):
        SqliteJournal(tmp_path / "absent", read_only=True)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER keep BEFORE DELETE ON run BEGIN SELECT RAISE(IGNORE); END",
        "CREATE VIEW more AS SELECT * FROM entry",
        "CREATE INDEX i ON entry (kind)",
    ],
)
def test_a_journal_that_could_say_something_else_at_the_next_reading_is_refused(
    tmp_path: Path, statement: str
) -> None:
    path = tmp_path / "log.journal"
    SqliteJournal(path).close()
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.close()
    for read_only in (True, False):
        with pytest.raises(LogFormatError, match="not a journal's"):
            SqliteJournal(path, read_only=read_only)
