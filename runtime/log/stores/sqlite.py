"""The session log in one SQLite file: the embedded default.

WAL with a transaction per batch. `synchronous=NORMAL` survives the death of the process at any
point; `durability="power"` asks for FULL, which survives the machine's too. Rows are only ever
inserted. Reading never blocks writing.

Source: sqlite.org/wal.html, sqlite.org/pragma.html#pragma_synchronous.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

from codemode.runtime.log.errors import (
    LogCorruptError,
    LogError,
    LogFormatError,
    LogReadOnlyError,
    LogVersionError,
)
from codemode.runtime.log.events import Record
from codemode.runtime.log.store import Durability
from codemode.runtime.log.stores.leases import FileLease
from codemode.runtime.log.stores.sqlite_errors import translated
from codemode.runtime.log.stores.sqlite_schema import is_plain

#: "CMLG": marks the file as ours. Source: sqlite.org/pragma.html#pragma_application_id.
APPLICATION_ID: Final = 0x434D4C47
VERSION: Final = 1

_SCHEMA: Final = """
CREATE TABLE event (
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    type TEXT NOT NULL,
    hash TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (session, seq)
) WITHOUT ROWID
"""
#: How long another process's transaction is waited for.
_BUSY_S: Final = 30.0
_INSERT: Final = "INSERT INTO event (session, seq, type, hash, body) VALUES "
_COLUMNS: Final = [str, int, str, bytes, str]
_PAGE_ROWS: Final = 256
#: Rows of one statement. The interpreter's lock changes hands with each statement, which costs a
#: busy event loop more than the rows do.
_MOST_ROWS: Final = 64
_T = TypeVar("_T")


class SqliteStore:
    """An `EventStore` in one SQLite file.

    Raises:
        LogFormatError: The file is something else.
        LogVersionError: A newer codemode wrote it.
        LogReadOnlyError: It cannot be written and `read_only` is not set.
    """

    def __init__(
        self, path: Path, *, durability: Durability = "process", read_only: bool = False
    ) -> None:
        self._path = path
        self._read_only = read_only
        self._lock = threading.Lock()
        self._read_lock = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        try:
            if not read_only:
                self._make(path)
                self._writer = self._connect("rwc")
                self._prepare(self._writer, durability)
            self._reader = self._connect("ro")
            self._check_kind(self._reader)
        except BaseException:
            self.close()
            raise

    @property
    def location(self) -> str:
        """The path."""
        return str(self._path)

    def append(self, records: Sequence[Record]) -> None:
        """Insert all of `records` in one transaction."""
        if self._writer is None:
            raise LogReadOnlyError(f"{self._path} was opened for reading")
        with self._lock:
            self._translated(self._insert, self._writer, records)

    def read(self, session: str, *, after: int = 0) -> Iterator[Record]:
        """The session's records in order, a page at a time."""
        statement = (
            "SELECT session, seq, type, body, hash FROM event"
            " WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?"
        )
        while True:
            rows = self._rows(statement, (session, after, _PAGE_ROWS))
            yield from map(self._record, rows)
            if len(rows) < _PAGE_ROWS:
                return
            after = rows[-1][1]

    def last(self, session: str) -> Record | None:
        """The session's last record."""
        rows = self._rows(
            "SELECT session, seq, type, body, hash FROM event"
            " WHERE session = ? ORDER BY seq DESC LIMIT 1",
            (session,),
        )
        return self._record(rows[0]) if rows else None

    def sessions(self) -> tuple[str, ...]:
        """Ids of all sessions, sorted."""
        return tuple(row[0] for row in self._rows("SELECT DISTINCT session FROM event", ()))

    def damage(self) -> tuple[str, ...]:
        """A SQLite file holds rows only; a page that is broken raises when it is read."""
        return ()

    def acquire(self, session: str) -> FileLease:
        """Take the exclusive right to write a session."""
        return FileLease(self._path, session)

    def close(self) -> None:
        """Close both connections; the last one out folds the WAL into the file."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._reader = self._writer = None

    @staticmethod
    def _make(path: Path) -> None:
        """Make the file if it is new: for its owner's eyes only, as logs hold what programs saw."""
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except PermissionError as error:
            raise LogReadOnlyError(f"{path} cannot be written: it is read-only") from error
        except OSError as error:
            raise LogReadOnlyError(f"{path} cannot be opened: {error.strerror}") from error

    def _record(self, row: tuple[Any, ...]) -> Record:
        """A row as a record; SQLite itself holds nobody to a column's type."""
        session, seq, kind, body, hash = row
        if isinstance(body, str):
            body = body.encode()
        if [type(value) for value in (session, seq, kind, body, hash)] != _COLUMNS:
            raise LogCorruptError(f"{self._path}: a row of {session!r} is not an event")
        return Record(session, seq, kind, body, hash)

    def _connect(self, mode: str) -> sqlite3.Connection:
        uri = f"{self._path.resolve().as_uri()}?mode={mode}"
        if mode == "ro" and not _can_write(self._path.parent):
            # No shared-memory file can be made here; nobody can be writing either.
            wal = self._path.with_name(self._path.name + "-wal")
            uri += "" if wal.exists() else "&immutable=1"
        return self._translated(
            sqlite3.connect,
            uri,
            uri=True,
            timeout=_BUSY_S,
            isolation_level=None,
            check_same_thread=False,
        )

    def _prepare(self, connection: sqlite3.Connection, durability: Durability) -> None:
        """Make a new file ours, or see that an old one is."""
        kind = self._translated(self._kind, connection)
        if kind == (0, 0, 0):
            self._translated(connection.execute, "PRAGMA journal_mode=WAL")
            self._translated(connection.execute, "BEGIN IMMEDIATE")
            if self._translated(self._kind, connection) == (0, 0, 0):
                connection.execute(_SCHEMA)
                connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version={VERSION}")
            self._translated(connection.execute, "COMMIT")
        self._check_kind(connection)
        level = "FULL" if durability == "power" else "NORMAL"
        self._translated(connection.execute, f"PRAGMA synchronous={level}")

    @staticmethod
    def _kind(connection: sqlite3.Connection) -> tuple[int, int, int]:
        """Application id, version, and how many tables there are."""
        statement = (
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)"
            " FROM pragma_application_id, pragma_user_version"
        )
        with closing(connection.execute(statement)) as rows:
            application, version, tables = rows.fetchone()
        return application, version, tables

    def _check_kind(self, connection: sqlite3.Connection) -> None:
        application, version, tables = self._translated(self._kind, connection)
        if (application, version, tables) == (0, 0, 0):
            raise LogFormatError(f"{self._path} is empty: no session log, or not one yet")
        if application != APPLICATION_ID:
            raise LogFormatError(f"{self._path} is a SQLite file of another program, not a log")
        if version > VERSION:
            raise LogVersionError(
                f"{self._path} has log version {version}, this codemode reads up to {VERSION};"
                " upgrade to read it"
            )
        if not self._translated(is_plain, connection, _SCHEMA):
            raise LogFormatError(
                f"{self._path} has views, triggers or tables that are not a session log's: what it"
                " says may change from one reading to the next"
            )

    def _insert(self, connection: sqlite3.Connection, records: Sequence[Record]) -> None:
        if not records:
            return
        if len(records) <= _MOST_ROWS:
            self._insert_at_once(connection, records)
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            for start in range(0, len(records), _MOST_ROWS):
                self._insert_at_once(connection, records[start : start + _MOST_ROWS])
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    @staticmethod
    def _insert_at_once(connection: sqlite3.Connection, records: Sequence[Record]) -> None:
        """In one statement, which is a transaction of its own where none is open."""
        values: list[Any] = []
        for record in records:
            values += (record.session, record.seq, record.type, record.hash, record.body)
        connection.execute(_INSERT + ",".join(["(?,?,?,?,?)"] * len(records)), values)

    def _rows(self, statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        with self._read_lock:
            if self._reader is None:
                raise LogError(f"{self._path} was closed")
            reader = self._reader
            return self._translated(lambda: reader.execute(statement, values).fetchall())

    def _translated(self, function: Callable[..., _T], *args: Any, **kwargs: Any) -> _T:
        """Call SQLite; its errors come out as ours."""
        try:
            return function(*args, **kwargs)
        except sqlite3.Error as error:
            raise translated(error, self._path) from error


def _can_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
