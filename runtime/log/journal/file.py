"""The file of a journal: its tables, how it is made, and what is refused to be one.

It is for its owner's eyes only, as it holds what programs saw. A file of another program is left
as it is; one that could give another answer at each reading is refused.

Source: sqlite.org/wal.html, sqlite.org/pragma.html#pragma_secure_delete.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

from codemode.runtime.log.errors import (
    LogError,
    LogFormatError,
    LogReadOnlyError,
    LogVersionError,
)
from codemode.runtime.log.stores.sqlite_errors import translated
from codemode.runtime.log.stores.sqlite_schema import is_plain

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
PRUNED_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS pruned (
    session TEXT NOT NULL, call_id TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (session, call_id)
) WITHOUT ROWID
"""


def journal_path(log: Path) -> Path:
    """Where the journal of a log is kept unless the host says otherwise."""
    return log.with_name(log.name + ".journal")


def connect(path: str | Path, *, read_only: bool) -> sqlite3.Connection:
    """Open a journal, and make it if it is new and may be written.

    Raises:
        LogFormatError: The file is something else.
        LogVersionError: A newer codemode wrote it.
        LogReadOnlyError: It cannot be written and `read_only` is not set.
        LogError: The file cannot be opened.
    """
    target = _read_only_uri(Path(path)) if read_only else path
    if not read_only and str(path) != ":memory:":
        _make(Path(path))
    try:
        connection = sqlite3.connect(
            target, timeout=30.0, isolation_level=None, check_same_thread=False, uri=read_only
        )
    except sqlite3.Error as error:
        raise translated(error, path, kind="journal") from error
    try:
        _prepare(connection, path, read_only=read_only)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise translated(error, path, kind="journal") from error
    except LogError:
        connection.close()
        raise
    return connection


def _read_only_uri(path: Path) -> str:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    by_rights = os.access in os.supports_effective_ids
    can_write = os.access(path.parent, os.W_OK, effective_ids=by_rights)
    # No shared-memory file can be made in a read-only folder; nobody can be writing either.
    has_wal = path.with_name(path.name + "-wal").exists()
    return uri if can_write or has_wal else f"{uri}&immutable=1"


def _make(path: Path) -> None:
    """Make the file if it is new: for its owner's eyes only, as it holds what programs saw."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise LogReadOnlyError(f"{path} cannot be written: {error.strerror}") from error


def _prepare(connection: sqlite3.Connection, path: str | Path, *, read_only: bool) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if (application, version, tables) == (0, 0, 0) and not read_only:
        connection.executescript(
            f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA application_id={APPLICATION_ID};"
            f" PRAGMA user_version={VERSION}; COMMIT;"
        )
    elif application != APPLICATION_ID:
        raise LogFormatError(f"{path} is a SQLite file of another program, no journal")
    elif version > VERSION:
        raise LogVersionError(
            f"{path} has journal version {version}, this codemode reads up to {VERSION};"
            " upgrade to read it"
        )
    if not is_plain(connection, f"{_SCHEMA};{PRUNED_SCHEMA}"):
        raise LogFormatError(f"{path} has views, triggers or tables that are not a journal's")
    # Not before the file is known to be ours: another program's is left as it is.
    if not read_only:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        # Deleted values must not stay readable in free pages.
        connection.execute("PRAGMA secure_delete=ON")
