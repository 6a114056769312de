"""The verdict of a replay as text for a terminal. Nothing of the record reaches it raw."""

from __future__ import annotations

from typing import Final

from codemode.runtime.audit.replay import Replay
from codemode.runtime.audit.show import clean
from codemode.runtime.log.canonical import encode
from codemode.sandbox.values import Json

_MAX_CHARS: Final = 600
_GREEN: Final = "\x1b[32m"
_RED: Final = "\x1b[31m"
_RESET: Final = "\x1b[0m"


def render_replay(replay: Replay, *, colour: bool = False) -> str:
    """`identical`, `DIVERGED`, `TAMPERED` or `cannot be replayed`, and what there is to know."""
    words = {"identical": "identical", "impossible": "cannot be replayed"}
    verdict = words.get(replay.verdict, replay.verdict.upper())
    if colour:
        paint = _GREEN if replay.verdict == "identical" else _RED
        verdict = f"{paint}{verdict}{_RESET}"
    lines = [f"{verdict}: {clean(replay.reason)}"]
    if replay.verdict in ("identical", "diverged"):
        lines.append(f"calls that are the same: {replay.calls}")
    if replay.difference is not None:
        lines.append(f"recorded: {_shown(replay.difference.recorded)}")
        lines.append(f"replayed: {_shown(replay.difference.replayed)}")
    word = "note" if replay.verdict == "identical" else "possible cause"
    lines += [f"{word}: {clean(note)}" for note in replay.notes]
    return "\n".join(lines) + "\n"


def _shown(value: Json) -> str:
    if value is None:
        return "(nothing)"
    if isinstance(value, dict) and value.keys() == {"name", "line", "arguments"}:
        line = "" if value["line"] is None else f" (line {value['line']})"
        return _cut(f"{value['name']} {encode(value['arguments']).decode()}{line}")
    return _cut(value.rstrip("\n") if isinstance(value, str) else encode(value).decode())


def _cut(text: str) -> str:
    shown = clean(text[:_MAX_CHARS])
    return shown if len(text) <= _MAX_CHARS else f"{shown}... ({len(text):,} characters)"
