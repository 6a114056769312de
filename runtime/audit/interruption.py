"""Where a run stopped that did not come to its end: what it had got by then, and what is not known.

The journal of such a run has no last word in the log. So each answer in it is held against the
settlement that the log has of its call, and the record counts up to the first answer without one.
What had begun by then and was not answered may have changed something: that is for the host to say.

Source: spec AUDIT 3.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from codemode.runtime.audit.run_calls import BegunCall, RunCalls
from codemode.runtime.audit.run_record import (
    DELIVERIES,
    UnusableRecordError,
    check_facts,
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
from codemode.runtime.log.errors import LogCorruptError
from codemode.runtime.log.events import Event
from codemode.runtime.log.journal import Entry, Journal, JournalRun, first_head
from codemode.runtime.log.store import EventStore
from codemode.sandbox.limits import Limits
from codemode.sandbox.timeline import Delivery
from codemode.sandbox.values import Json

#: Ends of a run that were not the program's doing, nor that of a limit.
INTERRUPTED: Final = frozenset({"abort", "crash"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """An interrupted run, as far as its record is certain.

    Attributes:
        grants: What the program could call, by path.
        submissions: What the program had asked by then, by number, lookups included.
        submitted: Numbers of the calls among them.
        deliveries: What had reached it, in order.
        answered: The calls whose answers are among them.
        unanswered: The other calls that had started.
        unlogged: Calls of which the journal has an answer and the log has nothing; their names are
            paths, as the program has them.
        head: The journal's chain up to where the record counts.
    """

    run: JournalRun
    source: str
    limits: Limits
    files: Mapping[str, bytes]
    grants: Mapping[str, Any]
    submissions: Mapping[int, Json]
    submitted: frozenset[int]
    deliveries: tuple[Delivery, ...]
    answered: tuple[BegunCall, ...]
    unanswered: tuple[BegunCall, ...]
    unlogged: tuple[BegunCall, ...]
    head: str


def find_interruption(
    store: EventStore, journal: Journal, call_id: str, session: str | None = None
) -> Interruption:
    """Find a run that did not come to its end, and check its record. Blocks.

    Preconditions: nobody writes its session, and `repair` has settled what was open.

    Raises:
        UnusableRecordError: It came to its end, or its record is not enough, or was changed.
        LogError: A file cannot be read.
    """
    session, events = find_run(store, call_id, session)
    check_session(store, session)
    start = events["tool/code-run-start"]
    source = program_of(start)
    ended = events.get("tool/code-run")
    if (how := end_of(events)) is not None:
        raise UnusableRecordError("impossible", f"the run {call_id} came to its end: {how}")
    try:
        run = journal.run(session, call_id)
        if run is None:
            why = why_absent(journal, call_id, session, events)
            raise UnusableRecordError("impossible", why)
        check_program(run, source)
        check_facts(run, start)
        if run.mode == "digest":
            raise UnusableRecordError(
                "impossible", "the journal holds digests only, which feed no run"
            )
        _check_head(journal, run, ended)
        limits = limits_of(run)
        calls = RunCalls(store, session, call_id, start, limits)
        return _Reader(journal, run, calls, start.data.get("journal_sha256")).read(source, limits)
    except LogCorruptError as error:
        raise UnusableRecordError("tampered", str(error)) from error


def end_of(events: Mapping[str, Event]) -> str | None:
    """How a run ended that is not to be resumed; its caller has been told."""
    ended, told = events.get("tool/code-run"), events.get("tool/result")
    kind = None if ended is None else ended.data.get("kind")
    if ended is None or kind in INTERRUPTED or told is None:
        return None
    error: Any = told.data.get("error_info")
    if error is not None and error["layer"] == "log":
        return None  # the host stopped before it could tell
    return "it succeeded" if kind is None else f"it failed ({kind})"


def _check_head(journal: Journal, run: JournalRun, ended: Event | None) -> None:
    """Where the log has the digest of the whole record, the record must have it."""
    claimed = None if ended is None else ended.data.get("journal_sha256")
    if claimed is None:
        return
    head = first_head(run)
    for entry in sound_entries(journal, run):
        head = entry.chained(head)
    if head != claimed:
        raise UnusableRecordError(
            "tampered", "the journal's entries do not give the digest that the log has of them"
        )


@dataclass(slots=True)
class _Reader:
    """Reads a journal as far as the log bears it out.

    Attributes:
        beginning: The head of the chain before the first call, if the log has it.
        open: By submission that was not answered yet, the number among the calls (0 for a lookup,
            which is none) and what was submitted.
        has_ended: The record counts up to here; what follows is looked at, and not used.
        count: Submissions so far; `calls_made` of them are calls.
    """

    journal: Journal
    run: JournalRun
    calls: RunCalls
    beginning: str | None
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    submissions: dict[int, Json] = field(default_factory=dict[int, Json])
    submitted: set[int] = field(default_factory=set[int])
    open: dict[int, tuple[int, Any]] = field(default_factory=dict[int, tuple[int, Any]])
    deliveries: list[Delivery] = field(default_factory=list[Delivery])
    answered: set[int] = field(default_factory=set[int])
    unlogged: dict[int, BegunCall] = field(default_factory=dict[int, BegunCall])
    has_ended: bool = False
    count: int = 0
    calls_made: int = 0

    def read(self, source: str, limits: Limits) -> Interruption:
        head = beginning = first_head(self.run)
        grants = grants_of(self.journal, self.run)
        for entry in sound_entries(self.journal, self.run):
            if entry.digest is None:
                raise UnusableRecordError("impossible", "values of the journal were redacted")
            self._take(entry, grants)
            if not self.has_ended:
                head = entry.chained(head)
            if entry.kind == "file":
                beginning = entry.chained(beginning)
        if self.beginning not in (None, beginning):
            raise UnusableRecordError(
                "tampered", "what the journal says that the run began with is not what the log says"
            )
        numbers, known = self.calls.numbers(), self.answered
        restored = [self.calls.begun(one, is_answered=True) for one in numbers if one in known]
        return Interruption(
            run=self.run,
            source=source,
            limits=limits,
            files=self.files,
            grants=grants,
            submissions=self.submissions,
            submitted=frozenset(self.submitted),
            deliveries=tuple(self.deliveries),
            answered=tuple(restored),
            unanswered=tuple(self.calls.begun(one) for one in numbers if one not in known),
            unlogged=tuple(self.unlogged.values()),
            head=head,
        )

    def _take(self, entry: Entry, grants: Mapping[str, Any]) -> None:
        if entry.kind == "file":
            path, data = file_of(entry)
            self.files[path] = data
        elif entry.kind == "call":
            self._submitted(entry, grants)
        elif entry.kind == "tick" or (entry.kind in DELIVERIES and self._is_answered(entry)):
            if not self.has_ended:
                self.deliveries.append(delivery_of(entry))
        else:
            self.has_ended = True  # or it is the end, which was not the program's doing

    def _submitted(self, entry: Entry, grants: Mapping[str, Any]) -> None:
        self.count += 1
        if entry.subject != self.count:
            raise UnusableRecordError(
                "tampered", f"the journal does not have submission {self.count}"
            )
        value: Any = entry.value
        number = 0
        if not grants.get(value["name"], {}).get("is_lookup", False):
            self.calls_made += 1
            number = self.calls_made
        self.open[entry.subject] = number, value
        if not self.has_ended:
            self.submissions[entry.subject] = value
            self.submitted.add(number)

    def _is_answered(self, entry: Entry) -> bool:
        """Whether the log has an answer too; lookups are not in it."""
        if entry.subject not in self.open:
            raise UnusableRecordError(
                "tampered", f"entry {entry.number} of the journal answers what was not asked"
            )
        number, call = self.open.pop(entry.subject)
        if not number:
            return True
        if entry.kind != "fault" and not self.calls.has_of(number):
            self.unlogged[number] = _unlogged(number, call)
        if self.has_ended or not self.calls.vouch_for(number, entry):
            return False
        self.answered.add(number)
        return True


def _unlogged(number: int, call: Mapping[str, Any]) -> BegunCall:
    """A call that the log does not have: nothing speaks against its being what it is declared."""
    return BegunCall(
        number=number,
        name=call["name"],
        arguments=call["arguments"],
        line=call["line"],
        outcome="unknown",
        may_have_happened=True,
        is_read_only=True,
    )
