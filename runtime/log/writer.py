"""One thread that makes records durable in groups, shared by all sessions of a store.

`submit` queues a record and costs the caller nothing else; the thread commits what is queued after
`GROUP_S`, at once when somebody waits, and wakes the waiters. A batch that the store refuses is
tried again session by session, so that one session's fault does not take the others with it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final

from codemode.runtime.log.errors import LogError
from codemode.runtime.log.events import Record
from codemode.runtime.log.store import EventStore

#: How long a record that nobody waits for may stay in memory.
GROUP_S: Final = 0.005
#: Records in memory at which writers are asked to wait.
MAX_PENDING: Final = 4_096
#: Bytes in memory at which writers are asked to wait.
MAX_PENDING_BYTES: Final = 32 << 20

#: The running writer of each store, by the store's `id`; an entry keeps its store alive.
_shared: Final[dict[int, GroupWriter]] = {}
_shared_lock: Final = threading.Lock()


class GroupWriter:
    """The writer thread of one store: `GroupWriter.of` takes it, `release` gives it back."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._users = 0
        self._mutex = threading.Lock()
        self._changed = threading.Condition(self._mutex)
        self._queue: deque[Record] = deque()
        self._bytes = 0
        self._waiters: list[tuple[int, Callable[[], None]]] = []
        self._listeners: dict[int, Callable[[], None]] = {}
        self._submitted = 0
        self._committed = 0
        self._failures: dict[str, LogError] = {}
        self._is_idle = False
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="codemode-log", daemon=True)

    @classmethod
    def of(cls, store: EventStore) -> GroupWriter:
        """The store's writer, its thread running."""
        with _shared_lock:
            writer = _shared.get(id(store))
            if writer is None:
                writer = _shared[id(store)] = cls(store)
                writer._thread.start()
            writer._users += 1
            return writer

    def release(self) -> None:
        """Give it back; the last one out commits what is queued and ends the thread."""
        with _shared_lock:
            self._users -= 1
            if self._users:
                return
            del _shared[id(self._store)]
            with self._changed:
                self._is_stopping = True
                self._changed.notify()
            if threading.current_thread() is not self._thread:  # else it ends by itself
                self._thread.join()

    def begin(self, session: str) -> None:
        """Take a session up (again): what was lost of it before is the past writer's affair."""
        self._failures.pop(session, None)

    def submit(self, record: Record) -> int:
        """Queue a record; gives the ticket that `is_durable` and `call_when_durable` take."""
        with self._mutex:
            self._queue.append(record)
            self._bytes += len(record.body)
            self._submitted += 1
            if self._is_idle:
                self._is_idle = False
                self._changed.notify()
            return self._submitted

    @property
    def pending(self) -> tuple[int, int]:
        """How many records, and bytes of them, are not durable yet."""
        return self._submitted - self._committed, self._bytes

    @property
    def is_full(self) -> bool:
        """Whether writers should wait before they submit more."""
        return len(self._queue) >= MAX_PENDING or self._bytes >= MAX_PENDING_BYTES

    def is_durable(self, ticket: int) -> bool:
        """Whether the record of this ticket, and all before it, were dealt with."""
        return self._committed >= ticket

    def failure(self, session: str) -> LogError | None:
        """Why records of this session could not be kept, if so; they are lost."""
        return self._failures.get(session)

    def call_when_durable(self, ticket: int, callback: Callable[[], None]) -> None:
        """Commit now, then call back from the writer thread; at once if that is done."""
        with self._mutex:
            if self._committed < ticket:
                self._waiters.append((ticket, callback))
                self._is_idle = False
                self._changed.notify()
                return
        callback()

    def wait(self, ticket: int, *, at_most_s: float | None = None) -> bool:
        """Block until the record of this ticket was dealt with; gives whether it was, in time."""
        done = threading.Event()
        self.call_when_durable(ticket, done.set)
        return done.wait(at_most_s)

    def listen(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back from the writer thread after every commit; gives the way to stop that."""
        key = id(callback)
        with self._mutex:
            self._listeners[key] = callback
        return lambda: self._forget(key)

    def _forget(self, key: int) -> None:
        with self._mutex:
            self._listeners.pop(key, None)

    def _run(self) -> None:
        while batch := self._next_batch():
            self._commit(batch)
            with self._mutex:
                self._bytes -= sum(len(record.body) for record in batch)
                self._committed += len(batch)
                done = [call for ticket, call in self._waiters if ticket <= self._committed]
                self._waiters = [w for w in self._waiters if w[0] > self._committed]
                listeners = list(self._listeners.values())
            for callback in done + listeners:
                callback()

    def _next_batch(self) -> list[Record]:
        """What to commit next; empty when the writer is to stop."""
        with self._changed:
            while not (self._queue or self._is_stopping):
                self._is_idle = True
                self._changed.wait()
            self._is_idle = False
            if not (self._waiters or self._is_stopping or self.is_full):
                self._changed.wait_for(
                    lambda: bool(self._waiters) or self._is_stopping, timeout=GROUP_S
                )
            batch = list(self._queue)
            self._queue.clear()
            return batch

    def _commit(self, batch: list[Record]) -> None:
        sessions: dict[str, list[Record]] = {}
        for record in batch:
            sessions.setdefault(record.session, []).append(record)
        alive = [record for record in batch if record.session not in self._failures]
        if self._append(alive) is None:
            return
        for session, records in sessions.items():
            if session not in self._failures and (error := self._append(records)):
                self._failures[session] = error

    def _append(self, records: list[Record]) -> LogError | None:
        try:
            if records:
                self._store.append(records)
        except LogError as error:
            return error
        except BaseException as error:  # noqa: BLE001 - a host's own store may raise anything
            # Whatever it is, those who wait for this thread must hear of it.
            failure = LogError(f"the store failed: {type(error).__name__}")
            failure.__cause__ = error
            return failure
        return None
