"""Every session that is closed while a test runs is judged: its invariants and its digests."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from codemode.runtime.audit.digests import digest_faults
from codemode.runtime.audit.invariants import InvariantChecker
from codemode.runtime.log import EventStore, LogError, SessionLog, read_events


def faults_of(store: EventStore, session: str) -> list[str]:
    """What a closed session breaks; nothing is known of a store that cannot be read any more."""
    checker = InvariantChecker()
    try:
        events = list(read_events(store, session))
    except LogError:
        return []
    found = [str(fault) for event in events for fault in checker.feed(event)]
    found += [f"event {event.seq}: {fault}" for event in events for fault in digest_faults(event)]
    is_closed = bool(events) and events[-1].type == "session/close"
    return found + (checker.open_ends() if is_closed else [])


@contextmanager
def judged(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Judge what `SessionLog.aclose` closes inside; faults fail the test at the end."""
    found: list[str] = []
    close = SessionLog.aclose

    async def aclose(self: SessionLog) -> None:
        try:
            await close(self)
        finally:
            found.extend(faults_of(self.store, self.session))

    monkeypatch.setattr(SessionLog, "aclose", aclose)
    yield
    if found:
        raise AssertionError("a log breaks the protocol:\n" + "\n".join(found))
