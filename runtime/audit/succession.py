"""Which run goes on from which: a run is resumed once, by the first that gets further than it.

A resumption that was itself interrupted before it began a call of its own has changed nothing, and
its journal may have less than the earlier one. So it does not count, and is not resumed. Source:
spec AUDIT 3.4.
"""

from __future__ import annotations

from codemode.runtime.audit.interruption import end_of
from codemode.runtime.audit.run_record import check_session, find_run
from codemode.runtime.log.store import EventStore, read_events

_NEEDLE = b'"resumed_from":'


def find_successor(store: EventStore, session: str, call_id: str) -> str | None:
    """The call that took a run up, if one has. Blocks, and reads the whole log.

    Raises:
        UnusableRecordError: The session of one that may have is not as it was written.
        LogError: The log cannot be read.
    """
    for name in store.sessions():
        for record in store.read(name):
            if record.type != "tool/code-run-start" or _NEEDLE not in record.body:
                continue
            data = record.event().data
            origin = data["resumed_from"]
            later = str(data["call_id"])
            if (origin["session"], origin["call_id"]) == (session, call_id) and has_gone_further(
                store, name, later
            ):
                return later
    return None


def has_gone_further(store: EventStore, session: str, call_id: str) -> bool:
    """Whether a resumed run began a call of its own, or came to its end. Blocks.

    Raises:
        UnusableRecordError: There is no such run, or its session is not as it was written.
    """
    check_session(store, session)
    _, events = find_run(store, call_id, session)
    return end_of(events) is not None or any(
        event.type == "tool/code-dispatch-start" and event.data["parent_call_id"] == call_id
        for event in read_events(store, session)
    )
