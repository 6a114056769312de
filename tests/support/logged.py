"""What stands in the log of a test: the events of its only session."""

from __future__ import annotations

from typing import Any

from codemode.runtime.log import Event, EventStore, read_events


def events(store: EventStore) -> list[Event]:
    """The events of the log's only session."""
    (session,) = store.sessions()
    return list(read_events(store, session))


def kinds(store: EventStore, *, of: str = "") -> list[str]:
    """Their types; `of` keeps those that begin so."""
    return [event.type for event in events(store) if event.type.startswith(of)]


def data_of(store: EventStore, kind: str) -> list[Any]:
    """The data of every event of one type."""
    return [event.data for event in events(store) if event.type == kind]


def text_of(content: Any) -> str:
    """The text of logged content."""
    return "".join(block.get("text", "") for block in content)
