"""What the log says of the calls of a run, and of the runs that it goes on from.

A program numbers its calls alike each time, so a number means one call in all of them: the latest
run that has begun it has the last word on it. A journal's answers are held against that. Source:
spec AUDIT 3.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final, cast

from codemode.runtime.audit.run_record import UnusableRecordError, check_session, find_run
from codemode.runtime.code_mode.ledger import DispatchOutcome
from codemode.runtime.failures import PREFIX, encodable
from codemode.runtime.log.events import Event
from codemode.runtime.log.journal import Entry
from codemode.runtime.log.preview import is_preview
from codemode.runtime.log.store import EventStore, read_events
from codemode.runtime.result import program_code
from codemode.sandbox.limits import Limits, passed
from codemode.sandbox.values import Json

#: What the driver itself tells a program of a call that settled well, or that a host has answered.
_OF_THE_DRIVER: Final = frozenset({"LIMIT", "INVALID_TOOL_OUTPUT"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunCall:
    """A call that had started.

    Attributes:
        number: Counts the calls of the run from 1.
        name: The tool's wire name.
        arguments: As the log has them.
        line: The program's, as the guest claims it.
        outcome: As the log has it; `unknown` where the host stopped first.
        may_have_happened: Whether the tool's body may have been entered.
        is_read_only: The tool was declared to change nothing when the call began.
        messages: How many messages and images it left for the model.
        concludes_turn: It succeeded, and wished to conclude the turn.
    """

    number: int
    name: str
    arguments: Json
    line: int | None
    outcome: DispatchOutcome
    may_have_happened: bool
    is_read_only: bool = False
    messages: int = 0
    concludes_turn: bool = False


@dataclass(slots=True)
class _Run:
    """The calls of one run, by number.

    Attributes:
        age: How many runs came after it.
        refused: Never started, and the log says so.
        answered: Answered by the host as the run began, with the digest if there is one.
        deferred: Put off, so that another call may have done it meanwhile.
        consent: The last word on the questions that were asked about a call before it settled.
    """

    age: int
    answered: Mapping[int, str | None]
    starts: dict[int, Event] = field(default_factory=dict[int, Event])
    settlements: dict[int, Event] = field(default_factory=dict[int, Event])
    refused: set[int] = field(default_factory=set[int])
    deferred: set[int] = field(default_factory=set[int])
    consent: dict[int, str] = field(default_factory=dict[int, str])

    def take(self, event: Event, call_id: str) -> None:
        """Note what an event of its session says of one of its calls."""
        data = event.data
        if event.type == "tool/code-dispatch-refused":
            if data["parent_call_id"] == call_id and "ordinal" in data:
                self.refused.add(data["ordinal"])
            return
        sub_call = str(data.get("sub_call_id", data.get("call_id", "")))
        ordinal = sub_call.removeprefix(f"{call_id}:code:")
        if ordinal == sub_call or not ordinal.isdecimal():
            return
        number = int(ordinal)
        if event.type == "tool/code-dispatch-start":
            self.starts[number] = event
        elif event.type == "tool/code-dispatch":
            self.settlements[number] = event
        elif number in self.settlements:
            return  # about another call, to which a model gave that id
        elif event.type == "tool/deferred":
            self.deferred.add(number)
        elif event.type == "approval/asked":
            self.consent[number] = ""
        elif event.type == "approval/decided":
            self.consent[number] = str(data["outcome"])

    def settled(self, number: int) -> Event | None:
        """How a call settled; None if its host stopped before."""
        event = self.settlements.get(number)
        return None if event is None or _is_of_repair(event) else event

    def may_have_happened(self, number: int) -> bool:
        """Whether a body may have been entered; a person's yes is durable before that."""
        if number in self.deferred:
            return True
        if self.consent.get(number, "allowed") != "allowed":
            return False
        settled = self.settled(number)
        error: Any = None if settled is None else settled.data.get("error")
        return error is None or bool(error["body_started"])


class RunCalls:
    """See the module.

    Args:
        start: The run's own `tool/code-run-start`.
        limits: Of the run.

    Raises:
        UnusableRecordError: A run that it goes on from is not there, or is not as it was written.
    """

    def __init__(
        self, store: EventStore, session: str, call_id: str, start: Event, limits: Limits
    ) -> None:
        self._runs = list(_chain(store, session, call_id, start))
        self._too_large = passed("result_bytes", limits.result_bytes)
        #: Where the log has the last answer that it has borne out: age of the run, and seq.
        self._reached = (-len(self._runs), 0)

    def numbers(self) -> list[int]:
        """Of all calls that have begun, in order."""
        return sorted({number for run in self._runs for number in run.starts})

    def has_of(self, number: int) -> bool:
        """Whether the log says anything of a call."""
        return any(number in (*one.starts, *one.refused, *one.answered) for one in self._runs)

    def begun(self, number: int, *, is_answered: bool = False) -> BegunCall:
        """A call that has begun.

        Args:
            is_answered: The record has its answer, be it that a host has given that.
        """
        run = next(one for one in self._runs if number in one.starts)
        start, settled = run.starts[number].data, run.settlements.get(number)
        outcome: DispatchOutcome = "unknown" if settled is None else settled.data["outcome"]
        if is_answered and any(number in one.answered for one in self._runs[: run.age]):
            outcome = "ok"
        return BegunCall(
            number=number,
            name=str(start["name"]),
            arguments=cast("Json", start["arguments"]),
            line=start.get("line"),
            outcome=outcome,
            may_have_happened=run.may_have_happened(number),
            is_read_only=bool(start.get("read_only")),
            messages=0 if settled is None else _messages(settled.data),
            concludes_turn=(
                settled is not None
                and not settled.data["is_error"]
                and bool(settled.data.get("concludes_turn"))
            ),
        )

    def vouch_for(self, number: int, entry: Entry) -> bool:
        """Whether the log has what the journal says that a call was answered.

        Preconditions: called in the journal's order.

        Raises:
            UnusableRecordError: The log says something else.
        """
        for run in self._runs:
            if number in run.starts:
                return self._settled_so(run, number, entry)
            if number in run.refused:
                if entry.kind != "fault":
                    raise _contradiction(number)
                return True
            if number in run.answered:
                _check_said(number, run.answered[number], entry)
                return True
        # It never started, and what a program is then told is not in the log. Or it did, and the
        # log of its host did not come to have that.
        return entry.kind == "fault"

    def _settled_so(self, run: _Run, number: int, entry: Entry) -> bool:
        settled = run.settled(number)
        if settled is None:
            return False
        is_so = {"reply": self._is_reply, "fault": self._is_fault, "stop": _is_stop}[entry.kind]
        if not is_so(settled.data, entry):
            raise _contradiction(number)
        place = (-run.age, settled.seq)
        if place < self._reached:
            raise UnusableRecordError(
                "tampered", f"the journal has the answer to call {number} later than the log"
            )
        self._reached = place
        return True

    @staticmethod
    def _is_reply(settled: Mapping[str, Any], entry: Entry) -> bool:
        digest = settled.get("value_sha256")
        if settled["is_error"]:
            return False
        if digest is None or digest.startswith("hmac-"):
            return bool(settled.get("redacted"))
        return bool(digest == entry.digest)

    def _is_fault(self, settled: Mapping[str, Any], entry: Entry) -> bool:
        told = cast("dict[str, str]", entry.value)
        if not settled["is_error"]:
            is_large = told["code"] == "LIMIT" and told["message"] == self._too_large
            return is_large or told["code"] == "INVALID_TOOL_OUTPUT"
        if told["code"] != program_code(settled["error"]["code"]):
            return False
        content: Any = settled.get("content")
        if is_preview(content) or "content" in (settled.get("redacted") or ()):
            return True
        text = "\n".join(block["text"] for block in content if block["type"] == "text")
        return told["message"] == encodable(text.removeprefix(PREFIX))


def _chain(store: EventStore, session: str, call_id: str, start: Event) -> Iterator[_Run]:
    """A run, the one that it goes on from, and so on."""
    seen: set[tuple[str, str]] = set()
    while (session, call_id) not in seen:
        seen.add((session, call_id))
        origin: Any = start.data.get("resumed_from")
        answered = () if origin is None else origin["answered"]
        digests = () if origin is None else origin.get("answers_sha256") or ()
        run = _Run(age=len(seen) - 1, answered=dict(zip_longest(answered, digests)))
        for event in read_events(store, session):
            run.take(event, call_id)
        yield run
        if origin is None:
            return
        session, call_id = origin["session"], origin["call_id"]
        check_session(store, session)
        start = find_run(store, call_id, session)[1]["tool/code-run-start"]
    raise UnusableRecordError("tampered", "runs of the log go on from each other in a circle")


def _messages(settled: Mapping[str, Any]) -> int:
    """How many messages and images a call left for the model, as far as the log shows them."""
    content: Any = settled.get("content")
    images = 0
    if not settled["is_error"] and content and not is_preview(content):
        images = sum(block["type"] == "image" for block in content)
    return int(settled.get("contexts") or 0) + images


def _is_of_repair(settled: Event) -> bool:
    """Whether a settlement only closes what a host that stopped had left open."""
    error: Any = settled.data.get("error")
    return error is not None and error["layer"] == "log"


def _is_stop(settled: Mapping[str, Any], entry: Entry) -> bool:
    del entry
    return bool(settled["outcome"] == "stopped")


def _check_said(number: int, digest: str | None, entry: Entry) -> None:
    """An answer is what the host has given, or the driver's word on that."""
    if entry.kind == "reply":
        is_so = digest in (None, entry.digest)
    else:
        is_so = entry.kind == "fault" and cast("Any", entry.value)["code"] in _OF_THE_DRIVER
    if not is_so:
        raise _contradiction(number)


def _contradiction(number: int) -> UnusableRecordError:
    return UnusableRecordError(
        "tampered", f"the journal has another answer to call {number} than the log"
    )
