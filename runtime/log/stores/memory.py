"""The session log in memory: for tests, and for hosts that keep none."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from codemode.runtime.log.errors import SessionBusyError
from codemode.runtime.log.events import Record


class _MemoryLease:
    def __init__(self, held: set[str], session: str) -> None:
        self._held = held
        self._session = session
        held.add(session)

    def release(self) -> None:
        self._held.discard(self._session)


class MemoryStore:
    """An `EventStore` that forgets everything with the process.

    Args:
        records: What it holds already, taken as it is, whole or not.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._records: dict[str, list[Record]] = {}
        for record in records:
            self._records.setdefault(record.session, []).append(record)
        self._held: set[str] = set()
        self._lock = threading.Lock()

    @property
    def location(self) -> str:
        """For messages."""
        return "memory"

    def append(self, records: Sequence[Record]) -> None:
        """Keep all of `records` or none."""
        with self._lock:
            ends = {session: kept[-1].seq for session, kept in self._records.items()}
            for record in records:
                if record.seq <= ends.get(record.session, 0):
                    raise SessionBusyError(
                        f"event {record.seq} of {record.session!r} is there already"
                    )
                ends[record.session] = record.seq
            for record in records:
                self._records.setdefault(record.session, []).append(record)

    def read(self, session: str, *, after: int = 0) -> Iterator[Record]:
        """The session's records in order."""
        records = self._records.get(session, [])
        position = bisect_right(records, after, key=lambda record: record.seq)
        while position < len(records):
            yield records[position]
            position += 1

    def last(self, session: str) -> Record | None:
        """The session's last record."""
        records = self._records.get(session)
        return records[-1] if records else None

    def sessions(self) -> tuple[str, ...]:
        """Ids of all sessions."""
        return tuple(self._records)

    def damage(self) -> tuple[str, ...]:
        """Memory holds records only."""
        return ()

    def acquire(self, session: str) -> _MemoryLease:
        """Take the exclusive right to write a session."""
        with self._lock:
            if session in self._held:
                raise SessionBusyError(f"session {session!r} has another writer")
            return _MemoryLease(self._held, session)

    def close(self) -> None:
        """Nothing to let go of: the records stay readable."""
