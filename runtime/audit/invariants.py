"""The protocol's invariants over a stream of events: usable while running and over a stored log.

`InvariantChecker.feed` takes the events of one session in order and says what each one breaks. It
keeps what is open and forgets a turn when it ends, so its memory does not grow with the log. It
proves the protocol's shape, never an organisation's policy.

Source: the numbered behaviours of PIPELINE 14 and CODE_MODE 5 and 6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from typing_extensions import override

from codemode.runtime.log.chain import GENESIS
from codemode.runtime.log.events import Event

#: Layers that decide before a body may start.
_BEFORE_BODY: Final = frozenset({"arguments", "mode", "pre", "approval", "guard", "lookup"})
_REFUSING: Final = frozenset({"deny", "stop", "defer"})
_STAGES: Final = {"pre": 0, "approval": 1, "guard": 2, "around": 3, "execute": 3, "post": 4}
#: Events that may come outside of any turn.
_ANYWHERE: Final = frozenset(
    {"session/open", "session/close", "log/checkpoint", "log/repaired", "tool/late-settlement"}
)
_MESSAGES: Final = frozenset({"assistant/message", "user/message"})


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that must not be in a log.

    Attributes:
        seq: The event that shows it.
        message: What is wrong, for a reviewer.
    """

    session: str
    seq: int
    message: str

    @override
    def __str__(self) -> str:
        return f"{self.session} event {self.seq}: {self.message}"


@dataclass(slots=True)
class _Run:
    """A program between its first and its last event."""

    has_ended: bool = False
    last_ordinal: int = 0
    settled: Counter[str] = field(default_factory=Counter[str])


@dataclass(slots=True)
class _Call:
    """An outer call between `tool/call` and `tool/result`."""

    name: str
    run: _Run | None = None


@dataclass(slots=True)
class _Turn:
    """What an open turn has seen."""

    number: int | None
    calls: dict[str, _Call] = field(default_factory=dict[str, _Call])
    answered: set[str] = field(default_factory=set[str])
    batch: list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dangling:
    """What a writer that died had left open, each by the event that began it.

    Attributes:
        nested: Nested calls without a settlement.
        approvals: Questions without an answer.
        hooks: Hooks without a result.
        runs: Calls whose program has no end, and their settled calls by outcome.
        calls: Outer calls without a result, in order.
        turn: The number of the open turn.
        has_turn: Whether a turn is open.
    """

    nested: list[Event]
    approvals: list[Event]
    hooks: list[Event]
    runs: dict[str, Counter[str]]
    calls: list[str]
    turn: int | None
    has_turn: bool


class InvariantChecker:
    """Checks one session; give it every event, in order."""

    def __init__(self) -> None:
        self._count = 0
        self._head = GENESIS
        self._is_closed = False
        self._turn: _Turn | None = None
        self._last_turn = 0
        self._last_step = 0
        #: Nested calls that have started and not settled, by their start.
        self._nested: dict[str, Event] = {}
        #: Settled as unknown, so that one late settlement may follow.
        self._unknown: set[str] = set()
        self._asked: dict[str, Event] = {}
        #: What people said of calls that have not settled, by call.
        self._answers: dict[str, set[str]] = {}
        self._hooks: dict[str, Event] = {}
        self._stage: dict[str, int] = {}
        self._faults: list[str] = []
        self._checks: dict[str, Callable[[Event], None]] = {
            "session/open": self._session_open,
            "session/close": self._session_close,
            "log/checkpoint": self._anchor,
            "turn/open": self._turn_open,
            "turn/close": self._turn_close,
            "step/open": self._step_open,
            "assistant/message": self._message,
            "user/message": self._message,
            "batch/open": self._batch_open,
            "batch/settled": self._batch_settled,
            "tool/call": self._call,
            "tool/result": self._result,
            "tool/code-run-start": self._run_start,
            "tool/code-run": self._run_end,
            "tool/code-dispatch-start": self._dispatch_start,
            "tool/code-dispatch": self._dispatch,
            "tool/code-dispatch-refused": self._dispatch_refused,
            "tool/late-settlement": self._late,
            "approval/asked": self._approval_asked,
            "approval/decided": self._approval_decided,
            "hook/invoked": self._hook_invoked,
            "hook/result": self._hook_result,
        }

    def feed(self, event: Event) -> list[Fault]:
        """Judge the next event; gives what it breaks."""
        self._faults = []
        if self._is_closed:
            self._fault("comes after the end of the session")
        if self._count == 0 and event.type != "session/open":
            self._fault("the session does not begin with session/open")
        if event.type not in _ANYWHERE:
            self._check_turn(event)
        check = self._checks.get(event.type)
        if check is not None:
            check(event)
        self.skip(event)
        return [Fault(event.session, event.seq, message) for message in self._faults]

    def skip(self, event: Event) -> None:
        """Pass over an event that cannot be judged; it still counts."""
        self._count, self._head = event.seq, event.hash

    def open_ends(self) -> list[str]:
        """What has begun and not ended: a fault in a closed session, a fact in a live one."""
        ends = [f"nested call {sub_call} has no settlement" for sub_call in self._nested]
        ends += [f"approval {approval} was never decided" for approval in self._asked]
        ends += [f"hook {hook} has no result" for hook in self._hooks]
        if self._turn is not None:
            for call_id, call in self._turn.calls.items():
                if call.run is not None and not call.run.has_ended:
                    ends.append(f"the program of {call_id} has no end")
                ends.append(f"call {call_id} has no result")
            ends.append(f"turn {self._turn.number} is open")
        return ends

    def dangling(self) -> Dangling:
        """The same as ids, for repair."""
        turn = self._turn
        calls = turn.calls if turn is not None else {}
        return Dangling(
            nested=list(self._nested.values()),
            approvals=list(self._asked.values()),
            hooks=list(self._hooks.values()),
            runs={
                call_id: call.run.settled
                for call_id, call in calls.items()
                if call.run is not None and not call.run.has_ended
            },
            calls=list(calls),
            turn=turn.number if turn is not None else None,
            has_turn=turn is not None,
        )

    def _fault(self, message: str) -> None:
        self._faults.append(message)

    def _check_turn(self, event: Event) -> None:
        if event.type == "turn/open":
            return
        if self._turn is None:
            self._fault(f"{event.type} lies outside of any turn")
        elif event.turn != self._turn.number:
            self._fault(f"{event.type} names turn {event.turn}, but {self._turn.number} is open")

    # Sessions, turns, steps

    def _session_open(self, event: Event) -> None:
        if self._count:
            self._fault("session/open stands inside a session")

    def _session_close(self, event: Event) -> None:
        self._anchor(event)
        self._is_closed = True
        for end in self.open_ends():
            self._fault(f"the session is closed, but {end}")

    def _anchor(self, event: Event) -> None:
        if event.data.get("count") != self._count or event.data.get("head") != self._head:
            self._fault(f"{event.type} does not match the events before it")

    def _turn_open(self, event: Event) -> None:
        if self._turn is not None:
            self._fault(f"turn {event.turn} opens inside turn {self._turn.number}")
        if event.turn is None or event.turn <= self._last_turn:
            self._fault(f"turn {event.turn} does not follow turn {self._last_turn}")
        self._last_turn = event.turn or self._last_turn
        self._turn = _Turn(event.turn)

    def _turn_close(self, event: Event) -> None:
        for end in self.open_ends()[:-1]:
            self._fault(f"the turn ends, but {end}")
        self._turn = None
        self._nested.clear()
        self._asked.clear()
        self._answers.clear()
        self._hooks.clear()
        self._stage.clear()

    def _step_open(self, event: Event) -> None:
        if event.step is None or event.step <= self._last_step:
            self._fault(f"step {event.step} does not follow step {self._last_step}")
        self._last_step = event.step or self._last_step

    def _message(self, event: Event) -> None:
        if self._turn is not None and self._turn.batch is not None and self._turn.calls:
            self._fault("a message lies between a batch's first call and its last result")

    # Batches and outer calls

    def _batch_open(self, event: Event) -> None:
        if self._turn is None:
            return
        if self._turn.batch is not None:
            self._fault("a batch opens inside a batch")
        self._turn.batch = list(event.data["calls"])

    def _batch_settled(self, event: Event) -> None:
        if self._turn is None:
            return
        if self._turn.batch is None:
            self._fault("a batch settles that was not open")
        for call_id in self._turn.batch or ():
            self._fault(f"the batch is settled, but {call_id} has no result")
        self._turn.batch = None

    def _call(self, event: Event) -> None:
        call_id = event.data["call_id"]
        if self._turn is None:
            return
        if call_id in self._turn.calls or call_id in self._turn.answered:
            self._fault(f"call {call_id} is made twice")
        if self._turn.batch is not None and call_id not in self._turn.batch:
            self._fault(f"call {call_id} is not of the open batch")
        self._turn.calls[call_id] = _Call(event.data["name"])

    def _result(self, event: Event) -> None:
        call_id = event.data["call_id"]
        if self._turn is None:
            return
        call = self._turn.calls.pop(call_id, None)
        if call is None:
            again = "a second result" if call_id in self._turn.answered else "a result without call"
            self._fault(f"{call_id} has {again}")
            return
        self._turn.answered.add(call_id)
        info: Any = event.data.get("error_info")
        if info and info.get("code") == "UNKNOWN_OUTCOME":
            self._unknown.add(call_id)
        if self._turn.batch is not None:
            if self._turn.batch[:1] != [call_id]:
                self._fault(f"the result of {call_id} is not in the order of the calls")
            self._turn.batch = [other for other in self._turn.batch if other != call_id]
        if call.run is not None and not call.run.has_ended:
            self._fault(f"{call_id} has its result before its program's end")
        for sub_call in self._nested_under(call_id):
            self._fault(f"{call_id} has its result, but {sub_call} has no settlement")
            del self._nested[sub_call]
        self._check_outcome(event, "error_info")
        self._check_answers(call_id, event)

    # Programs and nested calls

    def _run_start(self, event: Event) -> None:
        call_id = event.data["call_id"]
        call = self._turn.calls.get(call_id) if self._turn is not None else None
        if call is None:
            self._fault(f"a program starts under {call_id}, which is not an open call")
        elif call.run is not None:
            self._fault(f"{call_id} starts a second program")
        else:
            call.run = _Run()

    def _run_end(self, event: Event) -> None:
        call_id = event.data["call_id"]
        call = self._turn.calls.get(call_id) if self._turn is not None else None
        if call is None or call.run is None or call.run.has_ended:
            self._fault(f"a program ends under {call_id}, where none is running")
            return
        call.run.has_ended = True
        for sub_call in self._nested_under(call_id):
            self._fault(f"the program of {call_id} has ended, but {sub_call} has no settlement")
        claimed = {k: n for k, n in event.data["usage"]["sub_calls"].items() if n}
        if claimed != dict(call.run.settled):
            self._fault(
                f"the program's end counts sub-calls {_counts(claimed)},"
                f" the log has {_counts(call.run.settled)}"
            )

    def _nested_under(self, root: str) -> list[str]:
        return [sub for sub, start in self._nested.items() if start.data["root_call_id"] == root]

    def _run_of(self, event: Event) -> _Run | None:
        root = event.data["root_call_id"]
        call = self._turn.calls.get(root) if self._turn is not None else None
        if call is None:
            self._fault(f"a nested call lies under {root}, which is not an open call")
            return None
        if call.run is None or call.run.has_ended:
            self._fault(f"a nested call lies under {root}, whose program is not running")
        return call.run

    def _dispatch_start(self, event: Event) -> None:
        sub_call = event.data["sub_call_id"]
        run = self._run_of(event)
        if sub_call in self._nested:
            self._fault(f"{sub_call} starts twice")
        ordinal = _ordinal(sub_call, event.data["parent_call_id"])
        if ordinal is None:
            self._fault(f"{sub_call} is not of the form CALL:code:N")
        elif run is not None:
            if ordinal <= run.last_ordinal:
                self._fault(f"{sub_call} starts out of order, after number {run.last_ordinal}")
            run.last_ordinal = max(ordinal, run.last_ordinal)
        self._nested[sub_call] = event

    def _dispatch(self, event: Event) -> None:
        sub_call, root = event.data["sub_call_id"], event.data["root_call_id"]
        start = self._nested.pop(sub_call, None)
        if start is None:
            self._fault(f"{sub_call} is settled without a start, or twice")
        elif start.data["root_call_id"] != root:
            self._fault(f"{sub_call} changed its root to {root}")
        elif start.data["name"] != event.data["name"]:
            self._fault(f"{sub_call} changed its tool to {event.data['name']}")
        outcome = event.data["outcome"]
        run = self._run_of(event)
        if run is not None:
            run.settled[outcome] += 1
        if outcome == "unknown":
            self._unknown.add(sub_call)
        self._stage.pop(sub_call, None)
        self._check_outcome(event, "error")
        self._check_answers(sub_call, event)

    def _dispatch_refused(self, event: Event) -> None:
        root = event.data["root_call_id"]
        if self._turn is not None and root not in self._turn.calls:
            self._fault(f"a refused call lies under {root}, which is not an open call")
        if event.data.get("claimed_by") == "guest":
            return
        parent = event.data["parent_call_id"]
        if f"{parent}:code:{event.data.get('ordinal')}" in self._nested:
            self._fault("a call that was refused has a start")

    def _late(self, event: Event) -> None:
        sub_call = event.data["sub_call_id"]
        if sub_call not in self._unknown:
            self._fault(f"{sub_call} settles late, but had not settled as unknown")
        self._unknown.discard(sub_call)

    def _check_outcome(self, event: Event, error_field: str) -> None:
        """Error flag, error and decision must tell one story."""
        data = event.data
        outcome = data.get("outcome", "error" if data["is_error"] else "ok")
        error, decision = data.get(error_field), data.get("decision")
        if outcome == "ok" and (data["is_error"] or error):
            self._fault("the outcome is ok, but there is an error")
        # A tool may stop the turn and succeed; a policy's stop is an error.
        is_stop_by_tool = outcome == "stopped" and not (decision and decision["outcome"] == "stop")
        if not (outcome in ("ok", "discarded") or is_stop_by_tool or data["is_error"]):
            self._fault(f"the outcome is {outcome}, but it is not marked as an error")
        if error and error["layer"] in _BEFORE_BODY and error["body_started"]:
            self._fault(f"the body ran although the {error['layer']} layer stopped the call")
        has_run = outcome in ("ok", "discarded") or (error and error["body_started"])
        if decision and decision["outcome"] in _REFUSING and has_run:
            self._fault(f"the decision is {decision['outcome']}, but the body ran")

    # Approvals and hooks

    def _check_answers(self, call_id: str, event: Event) -> None:
        """What the settlement says of people must be what the log has of them."""
        answers = self._answers.pop(call_id, set[str]())
        decision: Any = event.data.get("decision")
        approval = decision.get("approval") if decision else None
        if approval and approval["outcome"] == "allowed" and "allowed" not in answers:
            self._fault(f"the decision on {call_id} names an approval that the log does not have")
        has_succeeded = not event.data["is_error"]
        if has_succeeded and (refusals := answers - {"allowed"}):
            self._fault(f"{call_id} succeeded, but its approval was {', '.join(sorted(refusals))}")

    def _approval_asked(self, event: Event) -> None:
        approval = event.data["approval_id"]
        if approval in self._asked:
            self._fault(f"approval {approval} is asked twice")
        self._asked[approval] = event

    def _approval_decided(self, event: Event) -> None:
        approval, call_id = event.data["approval_id"], event.data["call_id"]
        asked = self._asked.pop(approval, None)
        self._answers.setdefault(call_id, set()).add(event.data["outcome"])
        if asked is None:
            self._fault(f"approval {approval} is decided without a question, or twice")
        elif asked.data["call_id"] != call_id:
            self._fault(f"approval {approval} was asked for another call than {call_id}")

    def _hook_invoked(self, event: Event) -> None:
        hook = event.data["hook_id"]
        if hook in self._hooks:
            self._fault(f"hook {hook} is invoked twice")
        self._hooks[hook] = event
        call_id, stage = event.data.get("call_id"), _STAGES.get(event.data["stage"])
        if call_id is None or stage is None:
            return
        if stage < self._stage.get(call_id, 0):
            self._fault(f"the {event.data['stage']} stage of {call_id} comes after a later one")
        self._stage[call_id] = max(stage, self._stage.get(call_id, 0))

    def _hook_result(self, event: Event) -> None:
        if self._hooks.pop(event.data["hook_id"], None) is None:
            self._fault(f"hook {event.data['hook_id']} has a result without a start, or twice")


def _ordinal(sub_call: str, parent: str) -> int | None:
    prefix = f"{parent}:code:"
    number = sub_call.removeprefix(prefix)
    return int(number) if sub_call.startswith(prefix) and number.isdecimal() else None


def _counts(counts: dict[str, int] | Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(counts.items())) or "none"
