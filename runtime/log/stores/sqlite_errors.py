"""SQLite's errors as ours: what happened to the file, and what to do about it.

Source: sqlite.org/rescode.html.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from codemode.runtime.log.errors import (
    LogCorruptError,
    LogError,
    LogFormatError,
    LogFullError,
    LogReadOnlyError,
    SessionBusyError,
)


def translated(error: sqlite3.Error, where: str | Path, *, kind: str = "session log") -> LogError:
    """The error of the log that an error of SQLite stands for.

    Args:
        where: The file.
        kind: What the file should be.
    """
    # An extended code's low byte is the primary one; -1: the module's own complaint.
    code = getattr(error, "sqlite_errorcode", -1)
    match code & 0xFF if code >= 0 else code:
        case sqlite3.SQLITE_FULL:
            return LogFullError(f"{where}: the disk is full; free some space and go on")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return LogReadOnlyError(f"{where} cannot be written: it is read-only")
        case sqlite3.SQLITE_CANTOPEN:
            return LogReadOnlyError(f"{where} cannot be opened or made; check its folder")
        case sqlite3.SQLITE_NOTADB:
            return LogFormatError(f"{where} is not a {kind}")
        case sqlite3.SQLITE_CORRUPT:
            return LogCorruptError(f"{where} is damaged; verify a copy of it")
        case sqlite3.SQLITE_CONSTRAINT:
            return SessionBusyError(f"{where}: an event of that number is there already")
        case _:
            return LogError(f"{where}: {error}")
