"""Whether a SQLite file has our tables and nothing else: what is read twice must be the same twice.

A view or a generated column may give another answer at each reading, an index another than its
table, and a trigger may write what nobody asked for. A file with any of them is refused, or a
forger could show one history to `verify` and another to `show`.

Source: sqlite.org/schematab.html.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

_ALL = "SELECT type, name, sql FROM sqlite_schema"


def is_plain(connection: sqlite3.Connection, statements: str) -> bool:
    """Whether every object of the file is a table that `statements` make.

    Args:
        statements: Ours, separated by semicolons; a table may be missing, as an old file's.
    """
    ours = {_words(statement) for statement in statements.split(";") if statement.strip()}
    with closing(connection.execute(_ALL)) as rows:
        return all(_is_own(kind, name) or _words(sql or "") in ours for kind, name, sql in rows)


def _is_own(kind: str, name: str) -> bool:
    """Whether SQLite made it for itself; nobody else can make such a name."""
    return kind == "table" and name.startswith("sqlite_stat")


def _words(sql: str) -> str:
    return " ".join(sql.split()).replace("CREATE TABLE IF NOT EXISTS ", "CREATE TABLE ")
