"""The seam to where events are kept, and the choice of a store for a file.

A store keeps records byte for byte, in order, and nothing else: it neither validates nor chains.
Its methods block and may be called from any thread; `GroupWriter` calls `append` from its own.
Implementations: memory, SQLite, JSON Lines; tests/conformance/test_event_store.py is the contract.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, zip_longest
from pathlib import Path
from typing import Final, Literal, Protocol

from codemode.runtime.log.errors import (
    LogCorruptError,
    LogFormatError,
    LogNotFoundError,
    SessionBusyError,
    SessionNotFoundError,
)
from codemode.runtime.log.events import Event, Record

#: "process": survives the process's death; "power": the machine's too, about ten times dearer.
Durability = Literal["process", "power"]

#: First bytes of every SQLite database. Source: sqlite.org/fileformat.html, 1.3.1.
_SQLITE_MAGIC: Final = b"SQLite format 3\x00"
_COPY_BATCH: Final = 256
_JSON_LINES: Final = frozenset({".jsonl", ".ndjson"})


class Lease(Protocol):
    """The exclusive right to write one session."""

    def release(self) -> None:
        """Give it up; a second time does nothing."""
        ...


@contextmanager
def holding(store: EventStore, name: str, *, busy: Exception) -> Generator[None]:
    """Hold the one right to something among all processes that share a log.

    Raises:
        Exception: `busy`, where another one has it.
    """
    try:
        lease = store.acquire(name)
    except SessionBusyError:
        raise busy from None
    try:
        yield
    finally:
        lease.release()


class EventStore(Protocol):
    """Where records are kept.

    Attributes:
        location: For messages: the path, or `memory`.
    """

    @property
    def location(self) -> str: ...  # noqa: D102 - an attribute, described above

    def append(self, records: Sequence[Record]) -> None:
        """Keep all of `records` or none; durable when this returns.

        Raises:
            SessionBusyError: One of them is there already: another writer has the session.
            LogError: They could not be kept; see `codemode.runtime.log.errors`.
        """
        ...

    def read(self, session: str, *, after: int = 0) -> Iterator[Record]:
        """The session's records in order, from the first whose seq is greater than `after`.

        Streams in bounded memory; what is appended meanwhile is included or not, without gaps.
        """
        ...

    def last(self, session: str) -> Record | None:
        """The session's last record, or None if it has none."""
        ...

    def sessions(self) -> tuple[str, ...]:
        """Ids of all sessions, in the order of their first record where the store knows it."""
        ...

    def damage(self) -> tuple[str, ...]:
        """Parts of the log that are not records, such as a line cut off by a crash."""
        ...

    def acquire(self, session: str) -> Lease:
        """Take the exclusive right to write a session; it ends with the process at the latest.

        Raises:
            SessionBusyError: Another writer, here or in another process, has it.
        """
        ...

    def close(self) -> None:
        """Let go of the file. Sessions must be closed before."""
        ...


def open_store(
    path: str | os.PathLike[str],
    *,
    durability: Durability = "process",
    read_only: bool = False,
) -> EventStore:
    """Open the log at `path`, by its content or, if it is new, by its suffix.

    `.jsonl` and `.ndjson` are JSON Lines, everything else SQLite; `:memory:` is a store in memory.

    Raises:
        LogNotFoundError: `read_only`, and there is no file.
        LogFormatError: The file is something else.
        LogVersionError: A newer codemode wrote it.
        LogReadOnlyError: It cannot be written and `read_only` is not set.
    """
    # Imported here: most hosts use one of them, and sqlite3 is not free.
    if str(path) == ":memory:":
        from codemode.runtime.log.stores.memory import MemoryStore

        return MemoryStore()
    path = Path(path)
    if _is_json_lines(path, read_only=read_only):
        from codemode.runtime.log.stores.jsonl import JsonLinesStore

        return JsonLinesStore(path, durability=durability, read_only=read_only)
    from codemode.runtime.log.stores.sqlite import SqliteStore

    return SqliteStore(path, durability=durability, read_only=read_only)


def read_events(store: EventStore, session: str, *, after: int = 0) -> Iterator[Event]:
    """The session's events in order, streamed.

    Raises:
        LogCorruptError: A record is not an event; those before it were given.
    """
    return (record.event() for record in store.read(session, after=after))


def copy_log(source: EventStore, target: EventStore, session: str | None = None) -> int:
    """Copy every session, or one, byte for byte: export and import between kinds of stores.

    Returns:
        How many events were copied.

    Raises:
        SessionNotFoundError: There is no such session.
        SessionBusyError: The target has one of the sessions, or somebody is writing it.
        LogCorruptError: A record is not what the target can give back byte for byte.
    """
    copied = 0
    names = source.sessions()
    if session is not None and session not in names:
        raise SessionNotFoundError(f"{source.location} has no session {session}")
    for name in names if session is None else (session,):
        lease = target.acquire(name)
        try:
            copied += _copy_session(source, target, name)
        finally:
            lease.release()
    return copied


def _copy_session(source: EventStore, target: EventStore, session: str) -> int:
    copied = 0
    records = source.read(session)
    while batch := list(islice(records, _COPY_BATCH)):
        after = batch[0].seq - 1
        target.append(batch)
        # Bytes that are no event have no place in every kind of store: the copy is read again.
        kept = list(islice(target.read(session, after=after), len(batch)))
        if kept != batch:
            lost = next(old.seq for old, new in zip_longest(batch, kept) if old != new and old)
            raise LogCorruptError(
                f"event {lost} of {session!r} is no event and cannot be kept in {target.location}"
            )
        copied += len(batch)
    return copied


def _is_json_lines(path: Path, *, read_only: bool) -> bool:
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE_MAGIC))
    except FileNotFoundError:
        if read_only:
            raise LogNotFoundError(f"{path}: no such log") from None
        if not path.parent.is_dir():
            raise LogNotFoundError(
                f"{path} cannot be opened: there is no folder {path.parent}; make it first"
            ) from None
        start = b""
    except IsADirectoryError:
        raise LogFormatError(f"{path} is a folder, not a session log") from None
    except OSError as error:
        raise LogNotFoundError(f"{path} cannot be opened: {error.strerror}") from error
    if not start:
        return path.suffix in _JSON_LINES
    if start == _SQLITE_MAGIC:
        return False
    if start.startswith(b'{"'):
        return True
    raise LogFormatError(f"{path} is not a session log: neither SQLite nor JSON Lines")
