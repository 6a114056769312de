"""The run journal: what each program asked and what reached it, in order, for replay.

Kept apart from the session log, with its own switch and its own retention, because it holds the
values themselves. `full` keeps them; `digest` keeps their SHA-256 alone, which proves equality but
feeds no replay. The entries of a run are chained, and the log holds the end of the chain. Nothing
here runs anything.

Source: spec AUDIT 3.1 and CODE_MODE 6.6.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol, cast

from codemode.runtime.log.canonical import decode, encode, encode_in_order, sha256_of
from codemode.runtime.log.errors import (
    LogCorruptError,
    LogError,
    LogFormatError,
    LogReadOnlyError,
    LogVersionError,
)
from codemode.runtime.log.stores.sqlite_errors import translated
from codemode.runtime.log.stores.sqlite_schema import is_plain
from codemode.sandbox.values import Json

JournalMode = Literal["full", "digest", "off"]

#: A submission, the four kinds of delivery, an input file, and the outcome, which comes last.
EntryKind = Literal["call", "reply", "fault", "tick", "stop", "file", "end"]

#: "CMJR". Source: sqlite.org/pragma.html#pragma_application_id.
APPLICATION_ID: Final = 0x434D4A52
VERSION: Final = 1

_SCHEMA: Final = """
CREATE TABLE run (
    session TEXT NOT NULL, call_id TEXT NOT NULL, mode TEXT NOT NULL, began REAL NOT NULL,
    grants TEXT NOT NULL, facts BLOB NOT NULL, head TEXT, PRIMARY KEY (session, call_id)
) WITHOUT ROWID;
CREATE TABLE entry (
    session TEXT NOT NULL, call_id TEXT NOT NULL, number INTEGER NOT NULL,
    kind TEXT NOT NULL, subject INTEGER NOT NULL, at REAL, digest TEXT, value BLOB,
    PRIMARY KEY (session, call_id, number)
) WITHOUT ROWID;
CREATE TABLE grants (digest TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
"""
#: Which runs were forgotten, so that a replay can say so; made when the first one is.
_PRUNED_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS pruned (
    session TEXT NOT NULL, call_id TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (session, call_id)
) WITHOUT ROWID
"""
#: Entries of all runs that stay in memory before they are written.
_BUFFER: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRun:
    """What a program's run depended on besides its calls.

    Attributes:
        began: Seconds since the epoch, for retention.
        seed: Of `random`, `uuid4` and `secrets`.
        clock: Seconds since the epoch at which the program's clock began.
        limits: As `Limits.as_json`.
        artifacts: Globs of the files that it had to hand over.
        engine: The versions of codemode and of Python that ran it.
        grants_sha256: Of the canonical form of what the program could call.
    """

    session: str
    call_id: str
    mode: Literal["full", "digest"]
    began: float
    program_sha256: str
    sdk_sha256: str
    grants_sha256: str
    seed: int
    clock: float
    limits: dict[str, float] = field(default_factory=dict[str, float])
    artifacts: list[str] = field(default_factory=list[str])
    engine: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a run's record.

    Attributes:
        number: Counts the entries of the run from 1.
        subject: Which submission or which timer it is about; 0 for neither.
        at: Seconds since the run began, of a delivery.
        digest: SHA-256 of the value's canonical form; None when the value was redacted.
        value: The value; None in `digest` mode.
        has_value: Tells a value that is None from one that was not kept.
    """

    number: int
    kind: EntryKind
    subject: int
    at: float | None
    digest: str | None
    value: Json = None
    has_value: bool = False

    def chained(self, previous: str) -> str:
        """The head of the chain after this entry."""
        fields: Json = [previous, self.number, self.kind, self.subject, self.at, self.digest]
        return hashlib.sha256(encode(fields)).hexdigest()


class Journal(Protocol):
    """Where runs are journaled."""

    def begin(self, run: JournalRun, grants: Json) -> None:
        """Open the record of a run."""
        ...

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
        """Record the next entry of a run; cheap, durable after `flush` or `end`.

        Args:
            redacted: `value` stands for another one, of which nothing may be kept.
        """
        ...

    def so_far(self, run: JournalRun) -> str:
        """The head of the chain of a run that goes on."""
        ...

    def flush(self, run: JournalRun) -> None:
        """Make durable what was added to a run."""
        ...

    def end(self, run: JournalRun) -> str:
        """Make everything of a run durable; gives the head of its chain."""
        ...

    def run(self, session: str, call_id: str) -> JournalRun | None:
        """The record of a run, or None if it was not journaled.

        Raises:
            LogCorruptError: It cannot be read; so do the next ones.
        """
        ...

    def head(self, run: JournalRun) -> str | None:
        """The head of its chain as it was written; None if the run never came to its end."""
        ...

    def grants(self, run: JournalRun) -> Json:
        """What the program of a run could call; None if it is not there."""
        ...

    def entries(self, run: JournalRun) -> Iterator[Entry]:
        """The entries of a run, in order."""
        ...

    def prune(self, before: float) -> int:
        """Forget the runs that began before a time, but those that go on here; gives how many."""
        ...

    def pruned_at(self, session: str, call_id: str) -> float | None:
        """When a run was forgotten, in seconds since the epoch; None if it was not."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


def journal_path(log: Path) -> Path:
    """Where the journal of a log is kept unless the host says otherwise."""
    return log.with_name(log.name + ".journal")


def _read_only_uri(path: Path) -> str:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    by_rights = os.access in os.supports_effective_ids
    can_write = os.access(path.parent, os.W_OK, effective_ids=by_rights)
    # No shared-memory file can be made in a read-only folder; nobody can be writing either.
    has_wal = path.with_name(path.name + "-wal").exists()
    return uri if can_write or has_wal else f"{uri}&immutable=1"


def first_head(run: JournalRun) -> str:
    """What the chain of a run's entries begins with: its facts."""
    return sha256_of(cast("Json", asdict(run)))


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
        target = _read_only_uri(Path(path)) if read_only else path
        if not read_only and str(path) != ":memory:":
            _make(Path(path))
        try:
            self._connection = sqlite3.connect(
                target, timeout=30.0, isolation_level=None, check_same_thread=False, uri=read_only
            )
        except sqlite3.Error as error:
            raise translated(error, path, kind="journal") from error
        try:
            self._prepare(read_only)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise translated(error, path, kind="journal") from error
        except LogError:
            self._connection.close()
            raise

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
        self._execute(_PRUNED_SCHEMA)
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

    # --- the file --------------------------------------------------------------------------------

    def _prepare(self, read_only: bool) -> None:
        connection = self._connection
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if (application, version, tables) == (0, 0, 0) and not read_only:
            connection.executescript(
                f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA application_id={APPLICATION_ID};"
                f" PRAGMA user_version={VERSION}; COMMIT;"
            )
        elif application != APPLICATION_ID:
            raise LogFormatError(f"{self._path} is a SQLite file of another program, no journal")
        elif version > VERSION:
            raise LogVersionError(
                f"{self._path} has journal version {version}, this codemode reads up to {VERSION};"
                " upgrade to read it"
            )
        if not is_plain(connection, f"{_SCHEMA};{_PRUNED_SCHEMA}"):
            raise LogFormatError(
                f"{self._path} has views, triggers or tables that are not a journal's"
            )
        # Not before the file is known to be ours: another program's is left as it is.
        if not read_only:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            # Deleted values must not stay readable in free pages.
            connection.execute("PRAGMA secure_delete=ON")

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


def _make(path: Path) -> None:
    """Make the file if it is new: for its owner's eyes only, as it holds what programs saw."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise LogReadOnlyError(f"{path} cannot be written: {error.strerror}") from error


def _read(body: bytes, what: str) -> Json:
    try:
        return decode(body)
    except ValueError as error:
        raise LogCorruptError(f"{what} of the journal cannot be read: {error}") from error
