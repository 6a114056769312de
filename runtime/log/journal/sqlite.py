"""The run journal in one SQLite file: entries are buffered, and durable when their run ends.

Source: spec AUDIT 3.1.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, cast

from codemode.runtime.log.canonical import decode, encode, encode_in_order, sha256_of
from codemode.runtime.log.errors import LogCorruptError, LogError
from codemode.runtime.log.journal.file import PRUNED_SCHEMA, connect
from codemode.runtime.log.journal.record import Entry, EntryKind, JournalRun, first_head
from codemode.runtime.log.stores.sqlite_errors import translated
from codemode.sandbox.values import Json

#: Entries of all runs that stay in memory before they are written.
_BUFFER: Final = 256


@dataclass(slots=True)
class _Open:
    """Where the record of a run that goes on has come to."""

    head: str
    count: int = 0
    #: Why entries of it were lost, if they were: a record with a hole would be a false witness.
    fault: LogError | None = None


class SqliteJournal:
    """A `Journal` in one SQLite file; `:memory:` keeps it in memory.

    Args:
        read_only: Never write, nor make the file.

    Raises:
        LogFormatError: The file is something else.
        LogVersionError: A newer codemode wrote it.
        LogReadOnlyError: It cannot be written and `read_only` is not set.
        LogError: The file cannot be opened.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._open: dict[tuple[str, str], _Open] = {}
        self._buffer: list[tuple[object, ...]] = []
        self._connection = connect(path, read_only=read_only)

    # --- writing ---------------------------------------------------------------------------------

    def begin(self, run: JournalRun, grants: Json) -> None:
        """Open the record of a run."""
        facts = asdict(run)
        row = [facts.pop(name) for name in ("session", "call_id", "mode", "began", "grants_sha256")]
        with self._lock:
            self._execute(
                "INSERT OR IGNORE INTO grants VALUES (?, ?)",
                (run.grants_sha256, encode_in_order(grants)),
            )
            self._execute(
                "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, NULL)",
                (*row, encode(cast("Json", facts))),
            )
            self._open[run.session, run.call_id] = _Open(first_head(run))

    def add(
        self,
        run: JournalRun,
        kind: EntryKind,
        value: Json,
        *,
        subject: int = 0,
        at: float | None = None,
        redacted: bool = False,
    ) -> None:
        """Record the next entry of a run."""
        key = (run.session, run.call_id)
        digest = None if redacted else sha256_of(value)
        body = encode_in_order(value) if run.mode == "full" else None
        with self._lock:
            place = self._open[key]
            if place.fault is not None:
                raise place.fault
            place.count += 1
            entry = Entry(number=place.count, kind=kind, subject=subject, at=at, digest=digest)
            place.head = entry.chained(place.head)
            self._buffer.append((*key, place.count, kind, subject, at, digest, body))
            if len(self._buffer) >= _BUFFER:
                self._flush()

    def so_far(self, run: JournalRun) -> str:
        """The head of the chain of a run that goes on."""
        with self._lock:
            return self._open[run.session, run.call_id].head

    def flush(self, run: JournalRun) -> None:
        """Make durable what was added to a run."""
        with self._lock:
            place = self._open[run.session, run.call_id]
            if place.fault is not None:
                raise place.fault
            self._flush()

    def end(self, run: JournalRun) -> str:
        """Make everything of a run durable."""
        key = (run.session, run.call_id)
        with self._lock:
            place = self._open.pop(key)
            if place.fault is not None:
                raise place.fault
            self._flush()
            ended = self._execute(
                "UPDATE run SET head = ? WHERE session = ? AND call_id = ?", (place.head, *key)
            )
            if not ended.rowcount:
                # Another process forgot the run while it went on: so must what came since.
                self._execute("DELETE FROM entry WHERE session = ? AND call_id = ?", key)
            return place.head

    def prune(self, before: float) -> int:
        """Forget the runs that began before a time."""
        with self._lock:
            self._flush()
            self._execute("BEGIN IMMEDIATE")
            try:
                count = self._forget(before)
                self._execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            if count:
                # Overwritten pages are in the side file first; until it is folded in, the values
                # are still in the file. With a reader in the way the next close does it.
                self._execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return count

    def _forget(self, before: float) -> int:
        old = self._execute("SELECT session, call_id FROM run WHERE began < ?", (before,))
        # A run that goes on here is of use until it ends, however long a person lets it wait.
        keys = [tuple(key) for key in old.fetchall() if tuple(key) not in self._open]
        if not keys:
            return 0
        self._execute(PRUNED_SCHEMA)
        for key in keys:
            self._execute("DELETE FROM entry WHERE session = ? AND call_id = ?", key)
            self._execute("DELETE FROM run WHERE session = ? AND call_id = ?", key)
            self._execute("INSERT OR REPLACE INTO pruned VALUES (?, ?, ?)", (*key, time.time()))
        self._execute("DELETE FROM grants WHERE digest NOT IN (SELECT grants FROM run)")
        return len(keys)

    # --- reading ---------------------------------------------------------------------------------

    def run(self, session: str, call_id: str) -> JournalRun | None:
        """The record of a run."""
        row = self._row("SELECT mode, began, grants, facts FROM run", session, call_id)
        if row is None:
            return None
        mode, began, grants, body = row
        facts = _read(body, "the facts of a run")
        try:
            return JournalRun(
                session=session,
                call_id=call_id,
                mode=mode,
                began=began,
                grants_sha256=grants,
                **cast("dict[str, Any]", facts),
            )
        except TypeError as error:
            raise LogCorruptError("the facts of a run are not what they must be") from error

    def count(self, before: float | None = None) -> int:
        """How many runs there are, or began before a time."""
        limit = float("inf") if before is None else before
        with self._lock:
            rows = self._execute("SELECT count(*) FROM run WHERE began < ?", (limit,))
            return int(rows.fetchone()[0])

    def pruned_at(self, session: str, call_id: str) -> float | None:
        """When a run was forgotten, in seconds since the epoch; None if it was not."""
        with self._lock:
            tables = self._execute("SELECT count(*) FROM sqlite_schema WHERE name = 'pruned'")
            if not tables.fetchone()[0]:
                return None
        row = self._row("SELECT at FROM pruned", session, call_id)
        return None if row is None else float(row[0])

    def head(self, run: JournalRun) -> str | None:
        """The head of its chain as it was written."""
        row = self._row("SELECT head FROM run", run.session, run.call_id)
        return None if row is None else row[0]

    def grants(self, run: JournalRun) -> Json:
        """What the program of a run could call."""
        with self._lock:
            row = self._execute(
                "SELECT value FROM grants WHERE digest = ?", (run.grants_sha256,)
            ).fetchone()
        return None if row is None else _read(row[0], "a list of functions")

    def entries(self, run: JournalRun) -> Iterator[Entry]:
        """The entries of a run, a page at a time."""
        after = 0
        while True:
            with self._lock:
                self._flush()
                rows = self._execute(
                    "SELECT number, kind, subject, at, digest, value FROM entry"
                    " WHERE session = ? AND call_id = ? AND number > ? ORDER BY number LIMIT ?",
                    (run.session, run.call_id, after, _BUFFER),
                ).fetchall()
            for number, kind, subject, at, digest, body in rows:
                yield Entry(
                    number=number,
                    kind=kind,
                    subject=subject,
                    at=at,
                    digest=digest,
                    value=None if body is None else _read(body, f"entry {number}"),
                    has_value=body is not None,
                )
            if not rows:
                return
            after = rows[-1][0]

    def close(self) -> None:
        """Write what is buffered and let go of the file."""
        with self._lock:
            self._flush()
            self._connection.close()

    def _row(self, select: str, session: str, call_id: str) -> Any:
        with self._lock:
            return self._execute(
                f"{select} WHERE session = ? AND call_id = ?", (session, call_id)
            ).fetchone()

    # --- the buffer ------------------------------------------------------------------------------

    def _flush(self) -> None:
        if not self._buffer:
            return
        rows, self._buffer = self._buffer, []
        try:
            self._execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self._execute("COMMIT")
        except sqlite3.Error as error:
            fault = translated(error, self._path, kind="journal")
            self._lose(rows, fault)
            raise fault from error
        except LogError as error:
            self._lose(rows, error)
            raise

    def _lose(self, rows: list[tuple[object, ...]], fault: LogError) -> None:
        """The buffer holds entries of every run that goes on: each of them has a hole now."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        for session, call_id, *_ in rows:
            place = self._open.get((str(session), str(call_id)))
            if place is not None:
                place.fault = fault

    def _execute(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise translated(error, self._path, kind="journal") from error


def _read(body: bytes, what: str) -> Json:
    try:
        return decode(body)
    except ValueError as error:
        raise LogCorruptError(f"{what} of the journal cannot be read: {error}") from error
