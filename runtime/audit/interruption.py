"""Where a run stopped that did not come to its end: what it had got by then, and what is not known.

The journal of such a run has no last word in the log. So each answer in it is held against the
settlement that the log has of its call, and the record counts up to the first answer without one.
What had begun by then and was not answered may have changed something: that is for the host to say.

Source: spec AUDIT 3.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from codemode.runtime.audit.run_record import (
    DELIVERIES,
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
)
from codemode.runtime.code_mode.ledger import DispatchOutcome
from codemode.runtime.log.errors import LogCorruptError
from codemode.runtime.log.events import Event
from codemode.runtime.log.journal import Entry, Journal, JournalRun, first_head
from codemode.runtime.log.store import EventStore, read_events
from codemode.sandbox.limits import Limits
from codemode.sandbox.timeline import Delivery
from codemode.sandbox.values import Json

#: Ends of a run that were not the program's doing, nor that of a limit.
_INTERRUPTED: Final = frozenset({"abort", "crash"})
#: What the driver itself tells a program of a call that settled well in the pipeline.
_OF_THE_DRIVER: Final = frozenset({"LIMIT", "INVALID_TOOL_OUTPUT"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunCall:
    """A call that had started.

    Attributes:
        number: Counts the calls of the run from 1.
        name: The tool's wire name.
        arguments: As the program submitted them, and the log has them.
        line: The program's, as the guest claims it.
        outcome: As the log has it; `unknown` where the host stopped first.
        may_have_happened: Whether the tool's body may have been entered.
    """

    number: int
    name: str
    arguments: Json
    line: int | None
    outcome: DispatchOutcome
    may_have_happened: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """An interrupted run, as far as its record is certain.

    Attributes:
        submissions: What the program had asked by then, by number, lookups included.
        deliveries: What had reached it, in order.
        grants: What it could call, by path.
        answered: The calls whose answers are among them.
        unanswered: The other calls that had started.
        head: The journal's chain up to where the record counts.
    """

    run: JournalRun
    source: str
    limits: Limits
    files: Mapping[str, bytes]
    submissions: Mapping[int, Json]
    deliveries: tuple[Delivery, ...]
    grants: Mapping[str, Any]
    answered: tuple[BegunCall, ...]
    unanswered: tuple[BegunCall, ...]
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
    if (how := _end(events)) is not None:
        raise UnusableRecordError("impossible", f"the run {call_id} came to its end: {how}")
    try:
        run = journal.run(session, call_id)
        if run is None:
            raise UnusableRecordError("impossible", f"there is no journal of the run {call_id}")
        check_program(run, source)
        if run.mode == "digest":
            raise UnusableRecordError("impossible", "the journal holds digests only")
        _check_head(journal, run, ended)
        calls = _Calls(store, session, call_id, is_resumed="resumed_from" in start.data)
        return _Reader(journal, run, calls, grants_of(journal, run)).read(source)
    except LogCorruptError as error:
        raise UnusableRecordError("tampered", str(error)) from error


def _end(events: Mapping[str, Event]) -> str | None:
    """How a run ended that is not to be resumed; its caller has been told."""
    ended, told = events.get("tool/code-run"), events.get("tool/result")
    kind = None if ended is None else ended.data.get("kind")
    if ended is None or kind in _INTERRUPTED or told is None:
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


class _Calls:
    """What the log says of the calls of one run, by their numbers."""

    def __init__(self, store: EventStore, session: str, call_id: str, *, is_resumed: bool) -> None:
        self.starts: dict[int, Event] = {}
        self._settlements: dict[int, Event] = {}
        #: The last word on each question that was asked about a call.
        self._answers: dict[str, str] = {}
        self._is_resumed = is_resumed
        prefix = f"{call_id}:code:"
        for event in read_events(store, session):
            sub_call = str(event.data.get("sub_call_id", event.data.get("call_id", "")))
            if not sub_call.startswith(prefix):
                continue
            number = int(sub_call.removeprefix(prefix))
            if event.type == "tool/code-dispatch-start":
                self.starts[number] = event
            elif event.type == "tool/code-dispatch":
                self._settlements[number] = event
            elif event.type == "approval/asked":
                self._answers[sub_call] = ""
            elif event.type == "approval/decided":
                self._answers[sub_call] = str(event.data["outcome"])

    def vouch_for(self, number: int, entry: Entry) -> bool:
        """Whether the log has what the journal says that a call was answered.

        Raises:
            UnusableRecordError: The log says something else.
        """
        if number not in self.starts:
            # It never started, and so has no reply; but of an earlier record, or where the journal
            # was durable before the log was.
            return entry.kind != "reply" or self._is_resumed
        settled = self._settlements.get(number)
        if settled is None or _is_of_repair(settled):
            return False
        if entry.kind == "reply":
            digest = settled.data.get("value_sha256")
            is_plain = digest is not None and not str(digest).startswith("hmac-")
            is_same = not settled.data["is_error"] and digest == entry.digest
            if is_plain and not is_same:
                raise _contradiction(number)
        elif entry.kind == "fault":
            code = cast("dict[str, str]", entry.value)["code"]
            if not settled.data["is_error"] and code not in _OF_THE_DRIVER:
                raise _contradiction(number)
        return True

    def begun(self, number: int) -> BegunCall:
        """A call that had started."""
        start = self.starts[number].data
        settled = self._settlements.get(number)
        return BegunCall(
            number=number,
            name=str(start["name"]),
            arguments=cast("Json", start["arguments"]),
            line=start.get("line"),
            outcome="unknown" if settled is None else settled.data["outcome"],
            may_have_happened=self._may_have_happened(str(start["sub_call_id"]), settled),
        )

    def _may_have_happened(self, sub_call: str, settled: Event | None) -> bool:
        """Whether a body may have been entered; an answer is durable before that."""
        if self._answers.get(sub_call, "allowed") != "allowed":
            return False
        if settled is None or _is_of_repair(settled):
            return True
        error: Any = settled.data.get("error")
        return error is None or bool(error["body_started"])


def _is_of_repair(settled: Event) -> bool:
    """Whether a settlement only closes what a host that stopped had left open."""
    error: Any = settled.data.get("error")
    return error is not None and error["layer"] == "log"


def _contradiction(number: int) -> UnusableRecordError:
    return UnusableRecordError(
        "tampered", f"the journal has another answer to call {number} than the log"
    )


@dataclass(slots=True)
class _Reader:
    """Reads a journal as far as the log bears it out."""

    journal: Journal
    run: JournalRun
    calls: _Calls
    grants: Mapping[str, Any]
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    submissions: dict[int, Json] = field(default_factory=dict[int, Json])
    deliveries: list[Delivery] = field(default_factory=list[Delivery])
    answered: list[int] = field(default_factory=list[int])

    def read(self, source: str) -> Interruption:
        head = first_head(self.run)
        for entry in self._certain():
            head = entry.chained(head)
        unanswered = sorted(self.calls.starts.keys() - set(self.answered))
        restored = [number for number in self.answered if number in self.calls.starts]
        return Interruption(
            run=self.run,
            source=source,
            limits=limits_of(self.run),
            files=self.files,
            submissions=self.submissions,
            deliveries=tuple(self.deliveries),
            grants=self.grants,
            answered=tuple(map(self.calls.begun, sorted(restored))),
            unanswered=tuple(map(self.calls.begun, unanswered)),
            head=head,
        )

    def _certain(self) -> Iterator[Entry]:
        """The entries up to where the record counts, taken in."""
        #: By submission, the number among the calls; 0 for a lookup, which is none.
        numbers: dict[int, int] = {}
        count = 0
        for entry in sound_entries(self.journal, self.run):
            if entry.digest is None:
                raise UnusableRecordError("impossible", "values of the journal were redacted")
            if entry.kind == "call":
                value: Any = entry.value
                is_lookup = self.grants.get(value["name"], {}).get("is_lookup", False)
                count += not is_lookup
                numbers[entry.subject] = 0 if is_lookup else count
                self.submissions[entry.subject] = entry.value
            elif entry.kind == "file":
                path, data = file_of(entry)
                self.files[path] = data
            elif entry.kind in DELIVERIES:
                if entry.kind != "tick" and (number := numbers.get(entry.subject, 0)):
                    if not self.calls.vouch_for(number, entry):
                        return
                    self.answered.append(number)
                self.deliveries.append(delivery_of(entry))
            else:
                return  # its end, which was not the program's doing
            yield entry
