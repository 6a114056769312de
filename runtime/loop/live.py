"""The live stream of a session: every event, and what is worth showing and not worth keeping.

Whoever reads along gets all of it in order. An event of an ended turn, and whatever else belongs to
an ended step, is dropped from memory once every reader has passed it, or when there is too much of
it; who joins later, or is that slow, gets events from the store and misses no event. What is shown
live has not passed redaction.

Source: spec PIPELINE 11.4.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

import anyio
import anyio.to_thread

from codemode.runtime.log import Event, EventStore, read_events
from codemode.runtime.log.session import waker
from codemode.sandbox.values import Json

_PAGE: Final = 256
#: Above this many items nobody is waited for.
_MAX_ITEMS: Final = 20_000


def _place_of(entry: tuple[int, LiveItem]) -> int:
    return entry[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveItem:
    """One item of the stream.

    Attributes:
        type: An event's type, or one of `live/text` {text}, `live/output` {call_id, stream, text},
            `live/progress` {call_id, ...} and `live/settled` {call_id, is_error, outcome}.
        event: The event; None for what is not kept.
    """

    type: str
    data: Mapping[str, Json]
    event: Event | None = None

    def as_json(self) -> dict[str, Json]:
        """The item as plain JSON, for a line of JSON."""
        if self.event is not None:
            return self.event.as_json()
        return {"type": self.type, "data": dict(self.data)}


class Feed:
    """Where the items of one session come together; `show` and `add` may be called anywhere.

    Args:
        store: Has the events of turns that have ended.
    """

    def __init__(self, store: EventStore, session: str) -> None:
        self._store = store
        self._session = session
        self._lock = threading.Lock()
        #: (place, item) in order; places are never given twice.
        self._items: list[tuple[int, LiveItem]] = []
        self._place = 0
        #: Items up to here belong to ended steps; events up to there are durable.
        self._stale = 0
        self._durable = 0
        #: The last event that is in the store only.
        self._dropped = 0
        self._room = _MAX_ITEMS
        #: How far each reader is.
        self._readers: dict[object, int] = {}
        self._is_closed = False
        self._changed = anyio.Event()
        self._wake = waker(self._tell)

    def add(self, event: Event) -> None:
        """Take an event that was just logged."""
        self._append(LiveItem(type=event.type, data=event.data, event=event))

    def show(self, type: str, data: Mapping[str, Json]) -> None:
        """Take an item that nothing keeps."""
        self._append(LiveItem(type=type, data=data))

    def end_step(self) -> None:
        """What was shown only live so far is said by events now."""
        with self._lock:
            self._stale = self._place

    def end_turn(self, seq: int) -> None:
        """Everything up to the event `seq` is durable."""
        with self._lock:
            self._stale, self._durable = self._place, seq
            self._prune()

    def close(self) -> None:
        """The session has ended; readers get what is left and end."""
        self._is_closed = True
        self._wake()

    async def read(self) -> AsyncGenerator[LiveItem]:
        """Every item from the session's first event on, until its end."""
        reader = object()
        seq: int = 0
        place: int = 0
        joined = self._stale
        self._readers[reader] = 0
        try:
            while True:
                changed, is_last = self._changed, self._is_closed
                while seq < (dropped := self._dropped):
                    events = await anyio.to_thread.run_sync(self._page, seq, dropped)
                    for event in events:
                        yield LiveItem(type=event.type, data=event.data, event=event)
                    seq = events[-1].seq if events else dropped
                items = self._after(seq, place)
                if items is None:
                    continue
                for at, item in items:
                    place = at
                    if item.event is None:
                        if at > joined:
                            yield item
                    elif item.event.seq > seq:
                        seq = item.event.seq
                        yield item
                self._readers[reader] = place
                if not items:
                    if is_last:
                        return
                    await changed.wait()
        finally:
            del self._readers[reader]

    def _after(self, seq: int, place: int) -> list[tuple[int, LiveItem]] | None:
        """What comes after a place; None when events after `seq` are in the store only."""
        with self._lock:
            if seq < self._dropped:
                return None
            return self._items[bisect_right(self._items, place, key=_place_of) :]

    def _append(self, item: LiveItem) -> None:
        with self._lock:
            self._place += 1
            self._items.append((self._place, item))
            if len(self._items) > self._room:
                self._prune()
                # Not at each item again, when most of them must stay.
                self._room = max(_MAX_ITEMS, 2 * len(self._items))
        if self._readers:
            self._wake()

    def _prune(self) -> None:
        """Drop what is stale and passed; the lock is held."""
        is_full = len(self._items) > _MAX_ITEMS
        passed = self._place if is_full else min(self._readers.values(), default=self._place)
        kept: list[tuple[int, LiveItem]] = []
        for at, item in self._items:
            if item.event is None:
                is_kept = at > min(passed, self._stale)
            else:
                is_kept = at > passed or item.event.seq > self._durable
                if not is_kept:
                    self._dropped = item.event.seq
            if is_kept:
                kept.append((at, item))
        self._items = kept

    def _tell(self) -> None:
        changed, self._changed = self._changed, anyio.Event()
        changed.set()

    def _page(self, after: int, last: int) -> list[Event]:
        events = islice(read_events(self._store, self._session, after=after), _PAGE)
        return [event for event in events if event.seq <= last]
