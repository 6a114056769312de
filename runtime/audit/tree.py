"""The tree of a session: turns, the model's calls, and the calls that their programs made.

A pure function of the events, so the same log gives the same tree live and years later. What never
ended is shown as such. Source: spec AUDIT 2.1 and 4.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, cast

from codemode.runtime.log.canonical import decode, encode
from codemode.runtime.log.events import Event, is_foreign, read_fault
from codemode.sandbox.values import Json

#: The outcome of a model's call that its decision settled; nested calls log their own.
_BY_DECISION: Final = {"deny": "denied", "stop": "stopped", "defer": "deferred"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A question to a person, and the answer."""

    reason: str = ""
    outcome: str = "open"
    by: str = ""
    waited_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNode:
    """One call: the model's, or one that a program made.

    Attributes:
        kind: "refused" is a nested call that never started.
        outcome: As logged; "open" when the log ends before the call does.
        line: The program's line, as the guest claims it.
        arguments: As submitted; the raw string for a call of the model's.
        duration_ms: From the settlement, or between the two events' times.
        program: The source, for a call that ran one.
        notes: Events of tools and hooks that belong to the call.
        late: How it ended after it had settled as unknown.
        redacted: Fields that the log holds a replacement of.
    """

    call_id: str
    kind: Literal["call", "nested", "refused"]
    name: str
    time: str
    outcome: str = "open"
    line: int | None = None
    arguments: Json = None
    effective_arguments: Json = None
    duration_ms: float | None = None
    decision: Mapping[str, Any] = field(default_factory=dict[str, Any])
    error: Mapping[str, Any] = field(default_factory=dict[str, Any])
    approvals: tuple[Approval, ...] = ()
    content: Json = None
    program: Json = None
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    late: str = ""
    redacted: tuple[str, ...] = ()
    claimed_by: str = "host"
    notes: tuple[Event, ...] = ()
    start_seq: int = 0
    end_seq: int | None = None
    children: tuple[CallNode, ...] = ()

    @property
    def label(self) -> str:
        """The short description that the model gave to a program."""
        if self.program is None or not isinstance(self.arguments, str):
            return ""
        try:
            arguments = decode(self.arguments.encode())
        except ValueError:
            return ""
        description = arguments.get("description") if isinstance(arguments, dict) else None
        return description if isinstance(description, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnNode:
    """One turn."""

    number: int | None
    time: str
    is_open: bool = True
    mode: str = ""
    calls: tuple[CallNode, ...] = ()
    messages: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTree:
    """A whole session."""

    session: str
    opened: str = ""
    engine: str = ""
    is_closed: bool = False
    events: int = 0
    head: str = ""
    repaired: tuple[str, ...] = ()
    turns: tuple[TurnNode, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """The tree as plain JSON."""
        return cast("dict[str, Json]", _plain(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which calls to keep; a parent stays while one of its children does.

    Attributes:
        tool: A name with wildcards, such as `github.*`.
        outcome: As logged, such as `denied`; "refused" for calls that never started.
        since: ISO 8601; calls that started before are left out.
        until: ISO 8601; calls that started later are left out.
        text: Anywhere in arguments, content or error.
    """

    tool: str | None = None
    outcome: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    text: str | None = None

    def accepts(self, call: CallNode) -> bool:
        """Whether this very call is asked for."""
        if self.tool is not None and not fnmatchcase(call.name, self.tool):
            return False
        if self.outcome is not None and call.outcome != self.outcome:
            return False
        time = datetime.fromisoformat(call.time)
        if (self.since and time < self.since) or (self.until and time > self.until):
            return False
        if self.text is not None:
            parts: list[Json] = [call.arguments, call.content, dict(call.error), call.program]
            return self.text.casefold() in encode(parts).decode().casefold()
        return True

    def apply(self, tree: SessionTree) -> SessionTree:
        """The part of a tree that is asked for."""
        if self == Filter():
            return tree
        turns = (replace(turn, calls=self._calls(turn.calls)) for turn in tree.turns)
        return replace(tree, turns=tuple(turn for turn in turns if turn.calls))

    def _calls(self, calls: tuple[CallNode, ...]) -> tuple[CallNode, ...]:
        kept: list[CallNode] = []
        for call in calls:
            children = self._calls(call.children)
            if children or self.accepts(call):
                kept.append(replace(call, children=children))
        return tuple(kept)


def build_tree(events: Iterable[Event]) -> SessionTree:
    """The tree of one session from its events, in order."""
    builder = _Builder()
    for event in events:
        builder.feed(event)
    return builder.tree()


@dataclass(slots=True)
class _Call:
    """A call under construction: the node's fields, and the calls below."""

    fields: dict[str, Any]
    approvals: dict[str, Approval] = field(default_factory=dict[str, Approval])
    children: list[_Call] = field(default_factory=list["_Call"])
    notes: list[Event] = field(default_factory=list[Event])

    def node(self) -> CallNode:
        return CallNode(
            **self.fields,
            approvals=tuple(self.approvals.values()),
            children=tuple(child.node() for child in self.children),
            notes=tuple(self.notes),
        )


@dataclass(slots=True)
class _Turn:
    node: TurnNode
    calls: list[_Call] = field(default_factory=list[_Call])


class _Builder:
    """Takes events in order; nothing here can fail on what a log may hold."""

    def __init__(self) -> None:
        self._tree = SessionTree(session="")
        self._turns: list[_Turn] = []
        self._calls: dict[str, _Call] = {}
        self._handlers: dict[str, Callable[[Event], None]] = {
            "session/open": self._session_open,
            "session/close": self._session_close,
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
            "tool/late-settlement": self._late,
            "approval/asked": self._asked,
            "approval/decided": self._decided,
            "log/repaired": self._repaired,
        }

    def feed(self, event: Event) -> None:
        self._tree = replace(
            self._tree,
            session=event.session,
            opened=self._tree.opened or event.time,
            events=self._tree.events + 1,
            head=event.hash,
        )
        # What does not fit its schema is for verify to judge; here it is shown, and cannot raise.
        is_plain = not is_foreign(event) and not read_fault(event)
        handler = self._handlers.get(event.type, self._note) if is_plain else self._note
        handler(event)

    def tree(self) -> SessionTree:
        turns = (
            replace(turn.node, calls=tuple(call.node() for call in turn.calls))
            for turn in self._turns
        )
        return replace(self._tree, turns=tuple(turns))

    def _session_open(self, event: Event) -> None:
        self._tree = replace(self._tree, engine=str(event.data.get("engine", "")))

    def _session_close(self, event: Event) -> None:
        self._tree = replace(self._tree, is_closed=True)

    def _repaired(self, event: Event) -> None:
        self._tree = replace(self._tree, repaired=tuple(event.data.get("settled", ())))

    def _turn_open(self, event: Event) -> None:
        self._turns.append(_Turn(TurnNode(number=event.turn, time=event.time)))

    def _turn_of(self, event: Event) -> _Turn:
        """The open turn; one without a number for a log that lacks its beginning."""
        if not self._turns or not self._turns[-1].node.is_open:
            self._turn_open(event)
        return self._turns[-1]

    def _turn_close(self, event: Event) -> None:
        turn = self._turn_of(event)
        turn.node = replace(turn.node, is_open=False)

    def _step_open(self, event: Event) -> None:
        turn = self._turn_of(event)
        turn.node = replace(turn.node, mode=str(event.data.get("mode", "")))

    def _message(self, event: Event) -> None:
        turn = self._turn_of(event)
        turn.node = replace(turn.node, messages=turn.node.messages + 1)

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
        self._turn_of(event).calls.append(call)
        self._calls[data["call_id"]] = call

    def _result(self, event: Event) -> None:
        if (call := self._calls.get(event.data["call_id"])) is None:
            return
        self._end(call, event, "error_info")
        plain = "error" if event.data.get("is_error") else "ok"
        decided = event.data.get("decision", {}).get("outcome")
        call.fields["outcome"] = _BY_DECISION.get(decided, plain)
        started = datetime.fromisoformat(call.fields["time"])
        elapsed = datetime.fromisoformat(event.time) - started
        call.fields["duration_ms"] = round(elapsed.total_seconds() * 1000, 3)

    def _run_start(self, event: Event) -> None:
        if call := self._calls.get(event.data["call_id"]):
            call.fields["program"] = event.data.get("program")

    def _run_end(self, event: Event) -> None:
        if call := self._calls.get(event.data["call_id"]):
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
        self._calls[data["sub_call_id"]] = call

    def _settled(self, event: Event) -> None:
        if (call := self._calls.get(event.data["sub_call_id"])) is None:
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
        parent = self._calls.get(event.data.get("parent_call_id", ""))
        (parent.children if parent is not None else self._turn_of(event).calls).append(call)

    def _end(self, call: _Call, event: Event, error_field: str) -> None:
        data = event.data
        call.fields |= {
            "decision": data.get("decision", {}),
            "error": data.get(error_field, {}),
            "content": data.get("content"),
            "end_seq": event.seq,
            "redacted": (*call.fields["redacted"], *data.get("redacted", ())),
        }

    def _late(self, event: Event) -> None:
        if call := self._calls.get(event.data["sub_call_id"]):
            call.fields["late"] = event.data.get("outcome", "")

    def _asked(self, event: Event) -> None:
        if call := self._calls.get(event.data["call_id"]):
            reason = str(event.data.get("reason", ""))
            call.approvals[event.data["approval_id"]] = Approval(reason=reason)

    def _decided(self, event: Event) -> None:
        data = event.data
        if call := self._calls.get(data["call_id"]):
            asked = call.approvals.get(data["approval_id"], Approval())
            call.approvals[data["approval_id"]] = replace(
                asked,
                outcome=data["outcome"],
                by=str(data.get("by", "")),
                waited_ms=data.get("waited_ms"),
            )

    def _note(self, event: Event) -> None:
        """Events of tools and hooks, known or not, stay with the call that they name."""
        call_id = event.data.get("call_id")
        if isinstance(call_id, str) and (call := self._calls.get(call_id)):
            call.notes.append(event)


def _plain(node: object) -> Json:
    """Nodes as plain JSON; a node without children never lacks the key."""
    if isinstance(node, Event):
        return node.as_json()
    fields = getattr(type(node), "__dataclass_fields__", None)
    if fields is not None:
        return {name: _plain(getattr(node, name)) for name in fields}
    if isinstance(node, tuple):
        return [_plain(item) for item in cast("tuple[object, ...]", node)]
    return cast("Json", node)
