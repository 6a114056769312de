"""The tree of a session: turns, the model's calls, and the calls that their programs made.

Only the nodes, and which of them a reader asked for; `codemode.runtime.audit.building` makes them.
Source: spec AUDIT 2.1 and 4.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Literal, cast

from codemode.runtime.log.canonical import decode, encode
from codemode.runtime.log.events import Event
from codemode.sandbox.values import Json


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
        resumed_from: As `tool/code-run-start` has it; empty for a run that began at its beginning.
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
    resumed_from: Mapping[str, Any] = field(default_factory=dict[str, Any])
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
    """One turn.

    Attributes:
        number: None for what a log has outside of any turn.
        notes: Events that this engine does not know or that fit no schema, of no call in the turn.
    """

    number: int | None
    time: str
    is_open: bool = True
    mode: str = ""
    calls: tuple[CallNode, ...] = ()
    messages: int = 0
    notes: tuple[Event, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """The turn as plain JSON."""
        return cast("dict[str, Json]", _plain(self))


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
        facts: list[Json] = [
            call.name, call.arguments, call.effective_arguments, call.content, dict(call.error),
            dict(call.decision), call.program, [cast("Json", note.data) for note in call.notes],
        ]  # fmt: skip
        return self._fits(call.name, call.outcome, call.time, facts)

    def accepts_event(self, event: Event) -> bool:
        """Whether this very event is asked for, by the same fields where it has them."""
        name, outcome = event.data.get("name"), event.data.get("outcome")
        facts: list[Json] = [event.type, cast("Json", event.data)]
        return self._fits(str(name or ""), str(outcome or ""), event.time, facts)

    def _fits(self, name: str, outcome: str, time: str, facts: list[Json]) -> bool:
        if self.tool is not None and not fnmatchcase(name, self.tool):
            return False
        if self.outcome is not None and outcome != self.outcome:
            return False
        if self.since is not None or self.until is not None:
            moment = moment_of(time)
            # What has no readable time is shown rather than passed over.
            if moment is not None and self.since is not None and moment < self.since:
                return False
            if moment is not None and self.until is not None and moment > self.until:
                return False
        if self.text is not None:
            return self.text.casefold() in encode(facts).decode().casefold()
        return True

    def apply(self, tree: SessionTree) -> SessionTree:
        """The part of a tree that is asked for."""
        if self == Filter():
            return tree
        return replace(tree, turns=tuple(self.turns(tree.turns)))

    def turns(self, turns: Iterable[TurnNode]) -> Iterator[TurnNode]:
        """The turns that have something that is asked for, with only that."""
        if self == Filter():
            yield from turns
            return
        for turn in turns:
            calls = self._calls(turn.calls)
            notes = tuple(note for note in turn.notes if self.accepts_event(note))
            if calls or notes:
                yield replace(turn, calls=calls, notes=notes)

    def _calls(self, calls: tuple[CallNode, ...]) -> tuple[CallNode, ...]:
        kept: list[CallNode] = []
        for call in calls:
            children = self._calls(call.children)
            if children or self.accepts(call):
                kept.append(replace(call, children=children))
        return tuple(kept)


def moment_of(time: str) -> datetime | None:
    """The time of an event; None where a log has digits that are no time."""
    try:
        return datetime.fromisoformat(time)
    except ValueError:
        return None


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
