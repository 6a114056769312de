"""The tree of a session as text for a terminal: `codemode audit show`.

Nothing of the log reaches the terminal raw: control characters and bidirectional marks of
arguments and names are shown as escapes. Readable at 80 columns; colours only where asked.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TextIO, cast

from codemode.runtime.audit.tree import CallNode, SessionTree, TurnNode
from codemode.runtime.audit.verify import Report
from codemode.runtime.log.canonical import decode, encode
from codemode.runtime.log.events import Event, is_foreign
from codemode.runtime.log.preview import KEY, is_preview
from codemode.runtime.log.vocabulary import TYPES
from codemode.sandbox.values import Json

_RESET: Final = "\x1b[0m"
_DIM: Final = "\x1b[2m"
_COLOURS: Final = {
    "ok": "\x1b[32m",
    "error": "\x1b[31m",
    "denied": "\x1b[1;33m",
    "stopped": "\x1b[1;33m",
    "refused": "\x1b[33m",
    "deferred": "\x1b[36m",
    "unknown": "\x1b[1;35m",
    "open": "\x1b[1;35m",
}
_PAST: Final = {"deny": "denied", "stop": "stopped", "defer": "deferred", "allow": "allowed"}
#: Outcomes that a reviewer must not overlook: written large.
_LOUD: Final = frozenset({"denied", "stopped", "unknown", "open"})
#: Categories of characters that could change the terminal or the order of the text.
_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: More of a value is cut anyway.
_MAX_TEXT: Final = 400


def render_tree(tree: SessionTree, *, width: int = 80, colour: bool = False) -> str:
    """The tree as lines of at most `width` columns, ending in a newline.

    Args:
        tree: From `build_tree`, perhaps filtered.
        width: Columns; at least 40.
        colour: Whether to write terminal colours; see `wants_colour`.
    """
    return "".join(render_lines(tree, tree.turns, width=width, colour=colour))


def render_lines(
    head: SessionTree, turns: Iterable[TurnNode], *, width: int = 80, colour: bool = False
) -> Iterator[str]:
    """The same line by line, for a log that is too long for memory.

    Args:
        head: The session, with or without its turns.
        turns: To be shown, in order.
        width: As for `render_tree`.
        colour: As for `render_tree`.
    """
    page = _Page(max(width, 40), colour=colour)
    return (line + "\n" for line in page.session(head, turns))


def render_report(report: Report, *, colour: bool = False) -> str:
    """The verdict of verify as text: `ok`, `BROKEN` or `NOT ANCHORED`, then what was found."""
    verdict = "ok" if report.ok else "BROKEN" if report.faults else "NOT ANCHORED"
    lines = [_paint(verdict, "ok" if report.ok else "error", colour)]
    lines += [f"first broken: {clean(str(report.first_broken))}"] if report.first_broken else []
    lines += [f"fault: {clean(str(fault))}" for fault in report.faults[1:]]
    lines += [f"warning: {clean(warning)}" for warning in report.warnings]
    for one in report.sessions:
        state = "closed" if one.is_closed else "not closed"
        lines.append(f"{clean(one.session)}: {one.events} events, {state}")
        lines.append(f"  head {one.events}:{one.head}")
        if one.signed_to:
            lines.append(f"  signed to event {one.signed_to} by {one.key}")
    return "".join(line + "\n" for line in lines)


def wants_colour(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether to write colours: on a terminal, unless NO_COLOR is set (no-color.org)."""
    if environment.get("NO_COLOR") or environment.get("TERM") == "dumb":
        return False
    return stream.isatty()


def clean(text: str) -> str:
    """Untrusted text as one safe line: what could move the cursor or the order is escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char.encode("unicode_escape").decode() if unicodedata.category(char) in _UNSAFE else char
        for char in text
    )


class _Page:
    def __init__(self, width: int, *, colour: bool) -> None:
        self._width = width
        self._colour = colour

    def session(self, tree: SessionTree, turns: Iterable[TurnNode]) -> Iterator[str]:
        state = "closed" if tree.is_closed else "not closed"
        yield self._fit("", f"session {clean(tree.session)}", f"{tree.events} events, {state}", "")
        if tree.repaired:
            yield self._fit(
                "", f"repaired after a crash: {len(tree.repaired)} settled unknown", "", ""
            )
        waiting: TurnNode | None = None
        for turn in turns:
            if waiting is not None:
                yield from self._turn(waiting, is_last=False)
            waiting = turn
        if waiting is not None:
            yield from self._turn(waiting, is_last=True)

    def _turn(self, turn: TurnNode, *, is_last: bool) -> Iterator[str]:
        mode = f", mode {clean(turn.mode)}" if turn.mode else ""
        state = ", open" if turn.is_open else ""
        clock = turn.time[:19].replace("T", " ")
        branch, stem = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        title = "outside of any turn" if turn.number is None else f"turn {turn.number}"
        yield self._fit(branch, f"{title}{mode}{state}", f"{clock} UTC", "")
        for i, call in enumerate(turn.calls):
            is_last_call = i == len(turn.calls) - 1 and not turn.notes
            yield from self._call(call, stem, is_last=is_last_call)
        for i, note in enumerate(turn.notes):
            mark = "└─ " if i == len(turn.notes) - 1 else "├─ "
            yield self._fit(stem + mark, _note(note), "", "", dim=True)

    def _call(self, call: CallNode, stem: str, *, is_last: bool) -> Iterator[str]:
        branch, below = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        outcome = call.outcome.upper() if call.outcome in _LOUD else call.outcome
        duration = "" if call.duration_ms is None else _duration(call.duration_ms)
        yield self._fit(stem + branch, _title(call), f"{outcome} {duration:>8}", call.outcome)
        inner = stem + below
        more = inner + ("│  " if call.children else "   ")
        for detail in _details(call):
            yield self._fit(more, detail, "", "", dim=True)
        for i, child in enumerate(call.children):
            yield from self._call(child, inner, is_last=i == len(call.children) - 1)

    def _fit(self, prefix: str, left: str, right: str, outcome: str, *, dim: bool = False) -> str:
        """One line: the left part cut to the room that the right part leaves."""
        room = self._width - cells(prefix) - (cells(right) + 1 if right else 0)
        left = cut(left, max(room, 8))
        gap = " " * max(self._width - cells(prefix) - cells(left) - cells(right), 1)
        if dim:
            left = _paint(left, "dim", self._colour)
        end = gap + _paint(right.rstrip(), outcome, self._colour) if right else ""
        return _paint(prefix, "dim", self._colour) + left + end


def _title(call: CallNode) -> str:
    if call.kind == "call":
        label = f' "{clean(call.label)}"' if call.label else ""
        if call.program is not None:
            return f"{clean(call.name)} {clean(call.call_id)}{label}"
        return f"{clean(call.name)}({_arguments(_parsed(call.arguments))})"
    line = f"L{call.line}" if call.line is not None else ""
    if call.kind == "refused" and not call.name:
        # It never left the guest, so there is no name: only the guest's own words.
        return f"{line:<5}{_value(str(call.error.get('detail') or '?'))}"
    return f"{line:<5}{clean(call.name) or '?'}({_arguments(call.arguments)})"


def _details(call: CallNode) -> Iterator[str]:
    """Second lines: only what a reviewer would ask for."""
    decision = call.decision
    is_refusal = decision.get("outcome") in ("deny", "stop", "defer")
    if is_refusal or decision.get("layer", "default") != "default":
        layer, rule = decision.get("layer", ""), decision.get("rule", "")
        by = f"{rule} ({layer})" if rule else layer
        reason = f": {decision['reason']}" if decision.get("reason") else ""
        yield clean(f"{_PAST.get(decision['outcome'], '')} by {by}{reason}")
    for approval in call.approvals:
        waited = f", waited {_duration(approval.waited_ms)}" if approval.waited_ms else ""
        by = f" by {approval.by}" if approval.by else ""
        yield clean(f"approval {approval.outcome}{by}{waited}")
    if call.kind == "refused":
        claim = ", claimed by the guest" if call.claimed_by == "guest" else ""
        yield clean(f"never started: {call.error.get('code', '')}{claim}")
    elif call.error and call.outcome != "denied":
        kind = f" ({call.error['kind']})" if call.error.get("kind") else ""
        ran = "the body had started" if call.error.get("body_started") else "the body never ran"
        yield clean(f"{call.error.get('code', '')}{kind} in {call.error.get('layer', '')}; {ran}")
    if call.effective_arguments is not None:
        yield f"received: {_arguments(call.effective_arguments)}"
    if call.resumed_from:
        yield from map(clean, _resumed(call.resumed_from))
    if call.late:
        yield clean(f"ended late, after it had settled as unknown: {call.late}")
    if call.redacted:
        yield clean(f"redacted in the log: {', '.join(call.redacted)}")
    for note in call.notes:
        yield _note(note)


def _resumed(origin: Mapping[str, Any]) -> Iterator[str]:
    """Which run it goes on from, and who vouches for which answers."""
    yield f"resumed from {origin['call_id']} of {origin['session']}"
    said = f"restored: {origin['restored']}"
    for name, what in (("answered", "answered by the host"), ("repeated", "made again")):
        if numbers := origin[name]:
            said += f"; {what}: {', '.join(map(str, numbers))}"
    yield said


def _note(event: Event) -> str:
    """An event that has no line of its own, by its type and number."""
    newer = f", version {event.version}" if event.type in TYPES and is_foreign(event) else ""
    return clean(f"{event.type} #{event.seq}{newer}")


def _parsed(raw: Json) -> Json:
    """The object in a model's raw argument string; the string itself if there is none."""
    try:
        value = decode(raw.encode()) if isinstance(raw, str) else raw
    except ValueError:
        return raw
    return value if isinstance(value, dict) else raw


def _arguments(value: Json) -> str:
    """Arguments as keywords, the way the program wrote them."""
    if isinstance(value, dict) and not is_preview(value):
        return ", ".join(f"{clean(name)}={_value(item)}" for name, item in value.items())
    return "" if value is None else _value(value)


def _value(value: Json) -> str:
    if is_preview(value):
        facts = cast("dict[str, Any]", value)[KEY]
        return clean(f"<{facts.get('bytes')} bytes: {str(facts.get('head'))[:60]}…>")
    if isinstance(value, str):
        value = value[:_MAX_TEXT]
    return clean(encode(value).decode()[:_MAX_TEXT])


def _duration(ms: float) -> str:
    if ms < 1:
        return f"{ms * 1000:.0f} us"
    if ms < 1_000:
        return f"{ms:.1f} ms" if ms < 100 else f"{ms:.0f} ms"
    return f"{ms / 1_000:.1f} s" if ms < 600_000 else f"{ms / 60_000:.0f} min"


def cells(text: str) -> int:
    """How many columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(_cell(char) for char in text)


def _cell(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, width: int) -> str:
    """The text, shortened to `width` columns if it is longer."""
    if cells(text) <= width:
        return text
    taken = 0
    for i, char in enumerate(text):
        taken += _cell(char)
        if taken > width - 1:
            return text[:i] + "…"
    return text


def _paint(text: str, style: str, colour: bool) -> str:
    code = _DIM if style == "dim" else _COLOURS.get(style, "")
    return f"{code}{text}{_RESET}" if colour and code and text.strip() else text
