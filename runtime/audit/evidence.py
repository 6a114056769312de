"""What a replay starts from: one run's record out of log and journal, checked before it is used.

The log says what ran and vouches for the journal by a digest; the journal holds what reached the
program. Neither is believed: the session's chain, the program's digest, the journal's chain and the
result are recomputed first. It never changes either file.

Source: spec AUDIT 3.1, 3.2.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, cast

from codemode.runtime.audit.verify import verify
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.log.errors import LogCorruptError
from codemode.runtime.log.events import Event
from codemode.runtime.log.journal import Entry, Journal, JournalRun, first_head
from codemode.runtime.log.store import EventStore, read_events
from codemode.sandbox.errors import CodeModeError
from codemode.sandbox.limits import Limits
from codemode.sandbox.timeline import Delivery, DeliveryKind
from codemode.sandbox.values import Json

#: How to have a journal next time; ends every refusal for want of one.
SWITCH_ON: Final = (
    "switch it on for later runs with ToolRuntime(journal='full') or codemode run --journal FILE"
)
_DELIVERIES: Final = frozenset({"reply", "fault", "tick", "stop"})
_OF_A_RUN: Final = frozenset({"tool/code-run-start", "tool/code-run", "tool/result"})


class ReplayRefusedError(CodeModeError):
    """The run cannot be replayed. Nothing ran.

    Attributes:
        verdict: `tampered` when the record contradicts itself, else `impossible`.
    """

    def __init__(self, verdict: Literal["tampered", "impossible"], reason: str) -> None:
        super().__init__(reason)
        self.verdict: Literal["tampered", "impossible"] = verdict


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
            if entry.kind in _DELIVERIES:
                yield Delivery(
                    kind=cast("DeliveryKind", entry.kind),
                    number=entry.subject,
                    at=entry.at or 0.0,
                    value=entry.value,
                )


def gather(
    store: EventStore, journal: Journal | None, call_id: str, session: str | None = None
) -> Evidence:
    """Find a run and check its record.

    Args:
        journal: None when there is no such file.
        session: Needed only where several sessions have a run of that id.

    Raises:
        ReplayRefusedError: It cannot be replayed, or its record was changed.
        LogError: A file cannot be read.
    """
    session, events = _find(store, call_id, session)
    report = verify(store, session)
    if not report.ok:
        raise ReplayRefusedError("tampered", f"the log is broken: {report.first_broken}")
    source = _program(events["tool/code-run-start"])
    try:
        return _journaled(journal, call_id, session, source, events)
    except LogCorruptError as error:
        raise ReplayRefusedError("tampered", str(error)) from error


def _journaled(
    journal: Journal | None, call_id: str, session: str, source: str, events: Mapping[str, Event]
) -> Evidence:
    run = None if journal is None else journal.run(session, call_id)
    if journal is None or run is None:
        raise ReplayRefusedError("impossible", _why_absent(journal, call_id, session, events))
    entries = _check_chain(journal, run, events)
    if run.program_sha256 != hashlib.sha256(source.encode()).hexdigest():
        raise ReplayRefusedError("tampered", "the journal is that of another program")
    if run.mode == "digest":
        raise ReplayRefusedError(
            "impossible",
            "the journal is whole but holds digests only, which feed no replay; "
            + SWITCH_ON.replace("it on", "values on"),
        )
    return Evidence(
        run=run,
        limits=_limits(run),
        source=source,
        outcome=_outcome(entries, events),
        grants=_grants(journal, run),
        files=dict(_file(entry) for entry in entries if entry.kind == "file"),
        journal=journal,
    )


def _why_absent(
    journal: Journal | None, call_id: str, session: str, events: Mapping[str, Event]
) -> str:
    """Why there is no journal of a run: the log knows whether there was one."""
    ended = events.get("tool/code-run")
    if ended is None or ended.data.get("journal_sha256") is None:
        return f"there is no journal of the run {call_id}; {SWITCH_ON}"
    if journal is None:
        return f"the run {call_id} was journaled, but its journal is not here: name it"
    pruned = journal.pruned_at(session, call_id)
    if pruned is None:
        return f"the run {call_id} was journaled, but not in this journal, or it was taken out"
    day = datetime.fromtimestamp(pruned, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"the journal of the run {call_id} was pruned on {day}: its retention time was over"


def _find(store: EventStore, call_id: str, session: str | None) -> tuple[str, dict[str, Event]]:
    """The session of a run, and the run's own events by type."""
    found: dict[str, dict[str, Event]] = {}
    for name in store.sessions() if session is None else (session,):
        events: dict[str, Event] = {}
        try:
            for event in read_events(store, name):
                if event.type in _OF_A_RUN and event.data.get("call_id") == call_id:
                    events.setdefault(event.type, event)
        except LogCorruptError as error:
            if events or session is not None:
                raise ReplayRefusedError("tampered", f"the log is broken: {error}") from error
        if "tool/code-run-start" in events:
            found[name] = events
    if not found:
        raise ReplayRefusedError("impossible", f"{store.location} has no run of a call {call_id}")
    if len(found) > 1:
        raise ReplayRefusedError(
            "impossible",
            f"several sessions have a run of a call {call_id}: {', '.join(found)}; name one",
        )
    return next(iter(found.items()))


def _program(start: Event) -> str:
    if "program" in (start.data.get("redacted") or ()):
        raise ReplayRefusedError("impossible", "the program's text was redacted in the log")
    source = str(start.data["program"])
    if hashlib.sha256(source.encode()).hexdigest() != start.data.get("program_sha256"):
        raise ReplayRefusedError("tampered", "the program's text does not have its digest")
    return source


def _check_chain(journal: Journal, run: JournalRun, events: Mapping[str, Event]) -> list[Entry]:
    """Recompute every digest; give the few entries that are no calls and no deliveries."""
    kept: list[Entry] = []
    head = first_head(run)
    redacted = 0
    for entry in journal.entries(run):
        redacted += entry.digest is None
        if run.mode == "full" and not entry.has_value:
            raise ReplayRefusedError(
                "tampered", f"the value of entry {entry.number} ({entry.kind}) was taken out"
            )
        if entry.has_value and entry.digest not in (None, sha256_of(entry.value)):
            raise ReplayRefusedError(
                "tampered", f"entry {entry.number} ({entry.kind}) of the journal was changed"
            )
        head = entry.chained(head)
        if entry.kind in ("file", "end"):
            kept.append(entry)
    ended = events.get("tool/code-run")
    if ended is None or journal.head(run) is None:
        raise ReplayRefusedError("impossible", "the run never came to its end")
    if head != ended.data.get("journal_sha256") or head != journal.head(run):
        raise ReplayRefusedError(
            "tampered", "the journal's entries do not give the digest that the log has of them"
        )
    if redacted:
        raise ReplayRefusedError("impossible", f"{redacted} values of the journal were redacted")
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
            raise ReplayRefusedError("tampered", "the log has another result than the journal")
    return outcome


def _limits(run: JournalRun) -> Limits:
    try:
        return Limits(**cast("dict[str, Any]", run.limits))
    except (TypeError, ValueError) as error:
        raise ReplayRefusedError(
            "impossible", f"the run's limits are not those of this version: {error}"
        ) from error


def _grants(journal: Journal, run: JournalRun) -> Mapping[str, Any]:
    grants = journal.grants(run)
    if sha256_of(grants) != run.grants_sha256:
        raise ReplayRefusedError("tampered", "the journal's list of functions was changed")
    return cast("dict[str, Any]", grants)


def _file(entry: Entry) -> tuple[str, bytes]:
    body = cast("dict[str, str]", entry.value)
    data = base64.b64decode(body["base64"]) if "base64" in body else body["text"].encode()
    return body["path"], data
