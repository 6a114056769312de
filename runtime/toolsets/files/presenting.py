"""What the model reads of the file tools' values, and the cards that people see of their calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codemode.runtime.definition import Arguments
from codemode.sandbox.values import Json


def render_lines(_: Arguments, value: Json) -> str:
    """A stretch of a file, and which one it is where there is more."""
    lines: Any = value
    if not lines["truncated"]:
        return str(lines["text"])
    first = lines["start_line"]
    last = first + len(lines["text"].splitlines()) - 1
    return f"{lines['text']}\n[lines {first} to {last} of {lines['total_lines']}]"


def render_paths(_: Arguments, value: Json) -> str:
    """One path a line."""
    found: Any = value
    return "\n".join(found["paths"]) + _more(found) or "(no file)"


def render_matches(_: Arguments, value: Json) -> str:
    """One match a line, as grep writes it."""
    found: Any = value
    lines = [f"{match['path']}:{match['line']}: {match['text']}" for match in found["matches"]]
    return "\n".join(lines) + _more(found) or "(no match)"


def _more(found: Mapping[str, Any]) -> str:
    return "\n[there are more; narrow the search]" if found["truncated"] else ""


def edit_card(arguments: Arguments) -> Mapping[str, Any]:
    """What an edit replaces, and by what."""
    return {
        "card": "diff",
        "path": arguments["path"],
        "old": arguments["old"],
        "new": arguments["new"],
    }


def write_card(arguments: Arguments) -> Mapping[str, Any]:
    """What a write puts there."""
    return {"card": "diff", "path": arguments["path"], "old": None, "new": arguments["text"]}


def read_card(arguments: Arguments, durable: Mapping[str, Any]) -> Mapping[str, Any]:
    """What was read."""
    return {"card": "read", "path": arguments["path"], "content": durable.get("content")}


def search_card(arguments: Arguments, durable: Mapping[str, Any]) -> Mapping[str, Any]:
    """What was looked for and found."""
    return {"card": "search", "query": arguments["pattern"], "content": durable.get("content")}
