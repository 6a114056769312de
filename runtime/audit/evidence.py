"""What a replay starts from: one run's whole record, out of log and journal.

The log vouches for the journal by a digest: its chain and the result are recomputed first.

Source: spec AUDIT 3.1, 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from codemode.runtime.audit.run_record import (
    DELIVERIES,
    SWITCH_ON,
    UnusableRecordError,
    check_program,
    check_session,
    delivery_of,
    file_of,
    find_run,
    grants_of,
    limits_of,
    program_of,
    sound_entries,
    why_absent,
)
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.log.errors import LogCorruptError
from codemode.runtime.log.events import Event
from codemode.runtime.log.journal import Entry, Journal, JournalRun, first_head
from codemode.runtime.log.store import EventStore
from codemode.sandbox.limits import Limits
from codemode.sandbox.timeline import Delivery
from codemode.sandbox.values import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A run's record, found whole.

    Attributes:
        outcome: As `code_mode.outcomes.as_json` made it.
        grants: What the program could call.
    """

    run: JournalRun
    limits: Limits
    source: str
    outcome: Mapping[str, Any]
    grants: Mapping[str, Any]
    files: Mapping[str, bytes]
    journal: Journal

    def calls(self) -> Iterator[Entry]:
        """The recorded submissions, in order."""
        return (entry for entry in self.journal.entries(self.run) if entry.kind == "call")

    def deliveries(self) -> Iterator[Delivery]:
        """What reached the program, in order."""
        for entry in self.journal.entries(self.run):
            if entry.kind in DELIVERIES:
                yield delivery_of(entry)


def gather(
    store: EventStore, journal: Journal | None, call_id: str, session: str | None = None
) -> Evidence:
    """Find a run and check its record.

    Args:
        journal: None when there is no such file.
        session: Needed only where several sessions have a run of that id.

    Raises:
        UnusableRecordError: It cannot be replayed, or its record was changed.
        LogError: A file cannot be read.
    """
    session, events = find_run(store, call_id, session)
    check_session(store, session)
    source = program_of(events["tool/code-run-start"])
    try:
        return _journaled(journal, call_id, session, source, events)
    except LogCorruptError as error:
        raise UnusableRecordError("tampered", str(error)) from error


def _journaled(
    journal: Journal | None, call_id: str, session: str, source: str, events: Mapping[str, Event]
) -> Evidence:
    run = None if journal is None else journal.run(session, call_id)
    if journal is None or run is None:
        raise UnusableRecordError("impossible", why_absent(journal, call_id, session, events))
    entries = _check_chain(journal, run, events)
    check_program(run, source)
    if run.mode == "digest":
        raise UnusableRecordError(
            "impossible",
            "the journal is whole but holds digests only, which feed no replay; "
            + SWITCH_ON.replace("it on", "values on"),
        )
    return Evidence(
        run=run,
        limits=limits_of(run),
        source=source,
        outcome=_outcome(entries, events),
        grants=grants_of(journal, run),
        files=dict(file_of(entry) for entry in entries if entry.kind == "file"),
        journal=journal,
    )


def _check_chain(journal: Journal, run: JournalRun, events: Mapping[str, Event]) -> list[Entry]:
    """Recompute every digest; give the few entries that are no calls and no deliveries."""
    kept: list[Entry] = []
    head = first_head(run)
    redacted = 0
    for entry in sound_entries(journal, run):
        redacted += entry.digest is None
        head = entry.chained(head)
        if entry.kind in ("file", "end"):
            kept.append(entry)
    ended = events.get("tool/code-run")
    if ended is None or journal.head(run) is None:
        raise UnusableRecordError("impossible", "the run never came to its end")
    if head != ended.data.get("journal_sha256") or head != journal.head(run):
        raise UnusableRecordError(
            "tampered", "the journal's entries do not give the digest that the log has of them"
        )
    if redacted:
        raise UnusableRecordError("impossible", f"{redacted} values of the journal were redacted")
    return kept


def _outcome(entries: list[Entry], events: Mapping[str, Event]) -> Mapping[str, Any]:
    """The recorded outcome; what the log says of the result must be the same."""
    outcome = cast("dict[str, Any]", next(e.value for e in entries if e.kind == "end"))
    result = events.get("tool/result")
    claimed = None if result is None else result.data.get("body_sha256")
    if outcome["failure"] is None and claimed is not None:
        value: dict[str, Json] = {"logs": outcome["logs"]}
        if outcome["has_result"]:
            value["result"] = outcome["result"]
        if sha256_of(value) != claimed:
            raise UnusableRecordError("tampered", "the log has another result than the journal")
    return outcome
