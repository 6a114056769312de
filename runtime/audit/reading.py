"""What of a stored session can be read, and what its end says of its beginning.

Nothing here can fail on what a log may hold: records that are no events are counted and passed by.

Source: spec AUDIT 2.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from codemode.runtime.audit.tree import SessionTree
from codemode.runtime.log.errors import LogCorruptError
from codemode.runtime.log.events import Event, Record, is_foreign, read_fault
from codemode.runtime.log.store import EventStore

#: Types that say something of the session, or of a turn that is over.
_OUTLINE: Final = frozenset({"session/open", "log/repaired", "tool/late-settlement"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What a reader needs before the first turn.

    Attributes:
        head: The session's tree without its turns.
        late: How calls ended that had settled as unknown, by sub-call.
    """

    head: SessionTree
    late: Mapping[str, str]


def outline_of(entries: Iterable[Event | Record]) -> Outline:
    """The outline of a session from its events or records, in order; constant memory."""
    facts: dict[str, Any] = {"session": ""}
    late: dict[str, str] = {}
    count, last = 0, None
    for entry in entries:
        count, last = count + 1, entry
        if count > 1 and entry.type not in _OUTLINE:
            continue
        event = _readable(entry)
        if event is None:
            continue
        if count == 1:
            facts |= {"session": event.session, "opened": event.time}
        if is_foreign(event) or read_fault(event):
            continue
        if event.type == "session/open":
            facts["engine"] = str(event.data.get("engine", ""))
        elif event.type == "log/repaired":
            facts["repaired"] = tuple(event.data.get("settled", ()))
        elif event.type == "tool/late-settlement":
            late[event.data["sub_call_id"]] = event.data.get("outcome", "")
    if last is not None:
        facts |= {"session": last.session, "head": last.hash, "events": count}
        facts["is_closed"] = last.type == "session/close"
    return Outline(head=SessionTree(**facts), late=late)


class ReadableEvents:
    """The events of a session that can be read, in order; the others are counted, not shown.

    Attributes:
        unreadable: How many records were no events, or could not be had from the store.
    """

    def __init__(self, store: EventStore, session: str) -> None:
        self._store = store
        self._session = session
        self.unreadable = 0

    def __iter__(self) -> Iterator[Event]:
        for record in self.records():
            event = _readable(record)
            if event is None:
                self.unreadable += 1
            else:
                yield event

    def records(self) -> Iterator[Record]:
        """The records, up to one that the store itself cannot read."""
        try:
            yield from self._store.read(self._session)
        except LogCorruptError:
            self.unreadable += 1


def _readable(entry: Event | Record) -> Event | None:
    if isinstance(entry, Event):
        return entry
    try:
        return entry.event()
    except LogCorruptError:
        return None
