"""From events to the tree: a turn at a time, so that memory does not grow with the log.

A pure function of the events, so the same log gives the same tree live and years later. What never
ended is shown as such; what this engine does not know, or what fits no schema, stays as a note with
the call that it names or with its turn. Nothing here can fail on what a log may hold.

Source: spec AUDIT 1.1, 2.1 and 4.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from codemode.runtime.audit.reading import outline_of
from codemode.runtime.audit.tree import Approval, CallNode, SessionTree, TurnNode, moment_of
from codemode.runtime.log.events import Event, is_foreign, read_fault

#: The outcome of a model's call that its decision settled; nested calls log their own.
_BY_DECISION: Final = {"deny": "denied", "stop": "stopped", "defer": "deferred"}
#: The outcome of a model's call that failed for a reason which nested calls have a word for.
_BY_CODE: Final = {
    "UNKNOWN_OUTCOME": "unknown",
    "ABORTED": "aborted",
    "ABORTED_BEFORE_DISPATCH": "aborted",
}
#: Deeper calls, which no engine writes, are shown beside their parent: what walks a tree recurses.
_MAX_DEPTH: Final = 8


def build_tree(events: Iterable[Event]) -> SessionTree:
    """The tree of one session from its events, in order."""
    events = list(events)
    outline = outline_of(events)
    return replace(outline.head, turns=tuple(turns_of(events, outline.late)))


def turns_of(events: Iterable[Event], late: Mapping[str, str]) -> Iterator[TurnNode]:
    """The turns of a session, each when it is over.

    Args:
        late: From the session's outline.
    """
    builder = _Builder(late)
    for event in events:
        if (turn := builder.feed(event)) is not None:
            yield turn
    if (turn := builder.take()) is not None:
        yield turn


@dataclass(slots=True)
class _Call:
    """A call under construction: the node's fields, and the calls below."""

    fields: dict[str, Any]
    approvals: dict[str, Approval] = field(default_factory=dict[str, Approval])
    children: list[_Call] = field(default_factory=list["_Call"])
    notes: list[Event] = field(default_factory=list[Event])
    depth: int = 0
    parent: _Call | None = None

    def node(self, late: Mapping[str, str]) -> CallNode:
        return CallNode(
            **self.fields,
            late=late.get(self.fields["call_id"], ""),
            approvals=tuple(self.approvals.values()),
            children=tuple(child.node(late) for child in self.children),
            notes=tuple(self.notes),
        )


@dataclass(slots=True)
class _Turn:
    number: int | None
    time: str
    is_open: bool = True
    mode: str = ""
    messages: int = 0
    calls: list[_Call] = field(default_factory=list[_Call])
    notes: list[Event] = field(default_factory=list[Event])
    #: Every call of the turn by its id.
    by_id: dict[str, _Call] = field(default_factory=dict[str, _Call])

    def node(self, late: Mapping[str, str]) -> TurnNode:
        return TurnNode(
            number=self.number,
            time=self.time,
            is_open=self.is_open,
            mode=self.mode,
            messages=self.messages,
            calls=tuple(call.node(late) for call in self.calls),
            notes=tuple(self.notes),
        )


class _Builder:
    """Takes events in order, and gives each turn when the next one begins."""

    def __init__(self, late: Mapping[str, str]) -> None:
        self._late = late
        self._turn: _Turn | None = None
        self._done: TurnNode | None = None
        self._handlers: dict[str, Callable[[Event], None]] = {
            "turn/open": self._turn_open,
            "turn/close": self._turn_close,
            "step/open": self._step_open,
            "assistant/message": self._message,
            "user/message": self._message,
            "tool/call": self._call,
            "tool/result": self._result,
            "tool/code-run-start": self._run_start,
            "tool/code-run": self._run_end,
            "tool/code-dispatch-start": self._nested,
            "tool/code-dispatch": self._settled,
            "tool/code-dispatch-refused": self._refused,
            "approval/asked": self._asked,
            "approval/decided": self._decided,
        }

    def feed(self, event: Event) -> TurnNode | None:
        """Take the next event; gives the turn that it ended, if any."""
        if is_foreign(event) or read_fault(event):
            # What does not fit is for verify to judge; here it is shown.
            self._note(event, is_odd=True)
        elif (handler := self._handlers.get(event.type)) is not None:
            handler(event)
        else:
            self._note(event, is_odd=False)
        done, self._done = self._done, None
        return done

    def take(self) -> TurnNode | None:
        """The last turn, if there is one."""
        turn, self._turn = self._turn, None
        return None if turn is None else turn.node(self._late)

    def _turn_open(self, event: Event) -> None:
        self._done = self.take()
        self._turn = _Turn(event.turn, event.time)

    def _open_turn(self, event: Event) -> _Turn:
        """The open turn; a new one for a log that lacks its beginning."""
        if self._turn is None or not self._turn.is_open:
            self._turn_open(event)
        return cast("_Turn", self._turn)

    def _find(self, call_id: object) -> _Call | None:
        if self._turn is None or not isinstance(call_id, str):
            return None
        return self._turn.by_id.get(call_id)

    def _turn_close(self, event: Event) -> None:
        self._open_turn(event).is_open = False

    def _step_open(self, event: Event) -> None:
        self._open_turn(event).mode = str(event.data.get("mode", ""))

    def _message(self, event: Event) -> None:
        self._open_turn(event).messages += 1

    def _call(self, event: Event) -> None:
        data = event.data
        call = _Call(
            {
                "call_id": data["call_id"],
                "kind": "call",
                "name": data["name"],
                "time": event.time,
                "arguments": data.get("arguments"),
                "effective_arguments": data.get("effective_arguments"),
                "redacted": tuple(data.get("redacted", ())),
                "start_seq": event.seq,
            }
        )
        turn = self._open_turn(event)
        turn.calls.append(call)
        turn.by_id[data["call_id"]] = call

    def _result(self, event: Event) -> None:
        if (call := self._find(event.data["call_id"])) is None:
            return
        self._end(call, event, "error_info")
        code = event.data.get("error_info", {}).get("code")
        plain = _BY_CODE.get(code, "error") if event.data.get("is_error") else "ok"
        decided = event.data.get("decision", {}).get("outcome")
        call.fields["outcome"] = _BY_DECISION.get(decided, plain)
        started, ended = moment_of(call.fields["time"]), moment_of(event.time)
        if started is not None and ended is not None:
            call.fields["duration_ms"] = round((ended - started).total_seconds() * 1000, 3)

    def _run_start(self, event: Event) -> None:
        if call := self._find(event.data["call_id"]):
            call.fields["program"] = event.data.get("program")
            call.fields["resumed_from"] = event.data.get("resumed_from", {})

    def _run_end(self, event: Event) -> None:
        if call := self._find(event.data["call_id"]):
            call.fields["usage"] = event.data.get("usage", {})

    def _nested(self, event: Event) -> None:
        data = event.data
        call = _Call(
            {
                "call_id": data["sub_call_id"],
                "kind": "nested",
                "name": data["name"],
                "time": event.time,
                "line": data.get("line"),
                "arguments": data.get("arguments"),
                "effective_arguments": data.get("effective_arguments"),
                "redacted": tuple(data.get("redacted", ())),
                "start_seq": event.seq,
            }
        )
        self._attach(event, call)
        self._open_turn(event).by_id[data["sub_call_id"]] = call

    def _settled(self, event: Event) -> None:
        if (call := self._find(event.data["sub_call_id"])) is None:
            return
        self._end(call, event, "error")
        call.fields["outcome"] = event.data.get("outcome", "error")
        call.fields["duration_ms"] = event.data.get("duration_ms")

    def _refused(self, event: Event) -> None:
        data = event.data
        ordinal = data.get("ordinal")
        parent = data.get("parent_call_id", "")
        self._attach(
            event,
            _Call(
                {
                    "call_id": f"{parent}:code:{ordinal}" if ordinal is not None else "",
                    "kind": "refused",
                    "name": data.get("name", ""),
                    "time": event.time,
                    "outcome": "refused",
                    "error": {"code": data.get("reason", ""), "detail": data.get("detail", "")},
                    "claimed_by": data.get("claimed_by", "host"),
                    "start_seq": event.seq,
                    "end_seq": event.seq,
                }
            ),
        )

    def _attach(self, event: Event, call: _Call) -> None:
        turn = self._open_turn(event)
        parent = turn.by_id.get(event.data.get("parent_call_id", ""))
        if parent is not None and parent.depth >= _MAX_DEPTH:
            parent = parent.parent
        if parent is None:
            turn.calls.append(call)
        else:
            call.depth, call.parent = parent.depth + 1, parent
            parent.children.append(call)

    def _end(self, call: _Call, event: Event, error_field: str) -> None:
        data = event.data
        call.fields |= {
            "decision": data.get("decision", {}),
            "error": data.get(error_field, {}),
            "content": data.get("content"),
            "end_seq": event.seq,
            "redacted": (*call.fields["redacted"], *data.get("redacted", ())),
        }

    def _asked(self, event: Event) -> None:
        if call := self._find(event.data["call_id"]):
            reason = str(event.data.get("reason", ""))
            call.approvals[event.data["approval_id"]] = Approval(reason=reason)

    def _decided(self, event: Event) -> None:
        data = event.data
        if call := self._find(data["call_id"]):
            asked = call.approvals.get(data["approval_id"], Approval())
            call.approvals[data["approval_id"]] = replace(
                asked,
                outcome=data["outcome"],
                by=str(data.get("by", "")),
                waited_ms=data.get("waited_ms"),
            )

    def _note(self, event: Event, *, is_odd: bool) -> None:
        """Keep an event with the call that it names; what is odd also without one."""
        if (call := self._find(event.data.get("call_id"))) is not None:
            call.notes.append(event)
        elif is_odd:
            # Between two turns it belongs to the one before, which it cannot open again.
            if self._turn is None:
                self._turn_open(event)
                cast("_Turn", self._turn).number = None
            cast("_Turn", self._turn).notes.append(event)
