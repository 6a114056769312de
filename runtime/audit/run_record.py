"""One run in log and journal: found, and each part of it checked before it is used.

The log says what ran and vouches for the journal; the journal holds what reached the program.
Neither is believed: the session's chain, the program's digest and the digest of each value of the
journal are recomputed. Nothing here changes either file.

Source: spec AUDIT 3.1.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from math import inf
from typing import Any, Final, Literal, cast

from codemode.runtime.audit.verify import verify
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.log.errors import LogCorruptError
from codemode.runtime.log.events import Event
from codemode.runtime.log.journal import Entry, Journal, JournalRun
from codemode.runtime.log.store import EventStore, read_events
from codemode.sandbox.errors import CodeModeError
from codemode.sandbox.limits import Limits
from codemode.sandbox.timeline import Delivery, DeliveryKind

#: How to have a journal next time; ends every refusal for want of one.
SWITCH_ON: Final = (
    "switch it on for later runs with ToolRuntime(journal='full') or codemode run --journal FILE"
)
DELIVERIES: Final = frozenset({"reply", "fault", "tick", "stop"})
#: What values look like, by kind: one of these; anything where there are none.
_SHAPES: Final[Mapping[str, tuple[Mapping[str, tuple[type, ...]] | type, ...]]] = {
    "file": ({"path": (str,), "text": (str,)}, {"path": (str,), "base64": (str,)}),
    "call": ({"name": (str,), "line": (int, type(None)), "arguments": (dict,)},),
    "reply": (),
    "fault": ({"code": (str,), "message": (str,)},),
    "tick": (),
    "stop": (str,),
    "end": (dict,),
}
_OF_A_RUN: Final = frozenset({"tool/code-run-start", "tool/code-run", "tool/result"})


class UnusableRecordError(CodeModeError):
    """The record of a run cannot be used. Nothing ran.

    Attributes:
        verdict: `tampered` when the record contradicts itself, else `impossible`.
    """

    def __init__(self, verdict: Literal["tampered", "impossible"], reason: str) -> None:
        super().__init__(reason)
        self.verdict: Literal["tampered", "impossible"] = verdict


def find_run(
    store: EventStore, call_id: str, session: str | None = None
) -> tuple[str, dict[str, Event]]:
    """The session of a run, and the run's own events by type.

    Args:
        session: Needed only where several sessions have a run of that id.

    Raises:
        UnusableRecordError: It is not there, or not in one session alone.
    """
    found: dict[str, dict[str, Event]] = {}
    for name in store.sessions() if session is None else (session,):
        events: dict[str, Event] = {}
        try:
            for event in read_events(store, name):
                if event.type in _OF_A_RUN and event.data.get("call_id") == call_id:
                    events.setdefault(event.type, event)
        except LogCorruptError as error:
            if events or session is not None:
                raise UnusableRecordError("tampered", f"the log is broken: {error}") from error
        if "tool/code-run-start" in events:
            found[name] = events
    if not found:
        raise UnusableRecordError("impossible", f"{store.location} has no run of a call {call_id}")
    if len(found) > 1:
        raise UnusableRecordError(
            "impossible",
            f"several sessions have a run of a call {call_id}: {', '.join(found)}; name one",
        )
    return next(iter(found.items()))


def check_session(store: EventStore, session: str) -> None:
    """Recompute a session's chain, and judge its events.

    Raises:
        UnusableRecordError: Something in it is not as it was written.
    """
    report = verify(store, session)
    if not report.ok:
        raise UnusableRecordError("tampered", f"the log is broken: {report.first_broken}")


def program_of(start: Event) -> str:
    """The program's text, which has the digest that stands beside it.

    Raises:
        UnusableRecordError: It has not, or the text was redacted.
    """
    if "program" in (start.data.get("redacted") or ()):
        raise UnusableRecordError("impossible", "the program's text was redacted in the log")
    source = str(start.data["program"])
    if hashlib.sha256(source.encode()).hexdigest() != start.data.get("program_sha256"):
        raise UnusableRecordError("tampered", "the program's text does not have its digest")
    return source


def check_program(run: JournalRun, source: str) -> None:
    """The journal of a run is that of its program.

    Raises:
        UnusableRecordError: It is another one's.
    """
    if run.program_sha256 != hashlib.sha256(source.encode()).hexdigest():
        raise UnusableRecordError("tampered", "the journal is that of another program")


def check_facts(run: JournalRun, start: Event) -> None:
    """What the journal says that a run depended on is what the log says.

    Raises:
        UnusableRecordError: It is not.
    """
    for name in ("seed", "clock", "limits", "sdk_sha256"):
        if getattr(run, name) != start.data.get(name):
            raise UnusableRecordError("tampered", f"the journal has another {name} than the log")


def sound_entries(journal: Journal, run: JournalRun) -> Iterator[Entry]:
    """The entries of a run, in order; each value has its digest.

    Raises:
        UnusableRecordError: One is missing, was changed, or its value was taken out.
    """
    for number, entry in enumerate(journal.entries(run), start=1):
        if entry.number != number:
            raise UnusableRecordError("tampered", f"entry {number} of the journal was taken out")
        if run.mode == "full" and not entry.has_value:
            raise UnusableRecordError(
                "tampered", f"the value of entry {entry.number} ({entry.kind}) was taken out"
            )
        if entry.has_value and entry.digest not in (None, sha256_of(entry.value)):
            raise UnusableRecordError(
                "tampered", f"entry {entry.number} ({entry.kind}) of the journal was changed"
            )
        if not _is_formed(entry):
            raise UnusableRecordError("tampered", f"entry {number} of the journal is no such entry")
        yield entry


def _is_formed(entry: Entry) -> bool:
    """Whether an entry has the parts of its kind: SQLite itself holds nobody to a column's type."""
    at: Any = entry.at
    is_placed = entry.kind in _SHAPES and type(entry.subject) is int
    is_timed = entry.kind not in DELIVERIES or (type(at) is float and 0 <= at < inf)
    shapes = _SHAPES[entry.kind] if is_placed else ()
    is_open = not entry.has_value or entry.digest is None or not shapes
    return is_placed and is_timed and (is_open or any(_has(entry.value, one) for one in shapes))


def _has(value: Any, shape: Mapping[str, tuple[type, ...]] | type) -> bool:
    if isinstance(shape, type):
        return isinstance(value, shape)
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return all(isinstance(fields.get(name), kinds) for name, kinds in shape.items())


def why_absent(
    journal: Journal | None, call_id: str, session: str, events: Mapping[str, Event]
) -> str:
    """Why there is no journal of a run: the log knows whether there was one."""
    said = (events.get(kind) for kind in ("tool/code-run-start", "tool/code-run"))
    if not any(event is not None and "journal_sha256" in event.data for event in said):
        return f"there is no journal of the run {call_id}; {SWITCH_ON}"
    if journal is None:
        return f"the run {call_id} was journaled, but its journal is not here: name it"
    pruned = journal.pruned_at(session, call_id)
    if pruned is None:
        return f"the run {call_id} was journaled, but not in this journal, or it was taken out"
    day = datetime.fromtimestamp(pruned, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"the journal of the run {call_id} was pruned on {day}: its retention time was over"


def limits_of(run: JournalRun) -> Limits:
    """The limits of a run.

    Raises:
        UnusableRecordError: They are those of another version.
    """
    try:
        return Limits(**cast("dict[str, Any]", run.limits))
    except (TypeError, ValueError) as error:
        raise UnusableRecordError(
            "impossible", f"the run's limits are not those of this version: {error}"
        ) from error


def grants_of(journal: Journal, run: JournalRun) -> Mapping[str, Any]:
    """What the program could call.

    Raises:
        UnusableRecordError: The list was changed.
    """
    grants = journal.grants(run)
    if sha256_of(grants) != run.grants_sha256:
        raise UnusableRecordError("tampered", "the journal's list of functions was changed")
    return cast("dict[str, Any]", grants)


def file_of(entry: Entry) -> tuple[str, bytes]:
    """An input file: its path and its bytes.

    Raises:
        UnusableRecordError: No file has such bytes.
    """
    body = cast("dict[str, str]", entry.value)
    try:
        data = base64.b64decode(body["base64"]) if "base64" in body else body["text"].encode()
    except ValueError as error:
        raise UnusableRecordError(
            "tampered", f"entry {entry.number} of the journal is no such entry"
        ) from error
    return body["path"], data


def delivery_of(entry: Entry) -> Delivery:
    """What reached the program, of an entry that is one of `DELIVERIES`."""
    return Delivery(
        kind=cast("DeliveryKind", entry.kind),
        number=entry.subject,
        at=entry.at or 0.0,
        value=entry.value,
    )
