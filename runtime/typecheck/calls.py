"""The arguments of one call as they stand in a program's text; a scan, not a parse. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_KEYWORD: Final = re.compile(r"\s*\w+\s*=(?!=)")
_SCALAR: Final = re.compile(r"\s*(?:[-+.\d]|[A-Za-z]{0,2}\"|\[|None\b|True\b|False\b)")


@dataclass(frozen=True, slots=True)
class Call:
    """The text between a call's parentheses, strings blanked."""

    arguments: str

    @property
    def may_unpack(self) -> bool:
        """Whether some argument may stand for several parameters.

        That is `*` and `**`, and one positional value that may be the whole arguments object.
        """
        parts = _split(self.arguments)
        if any(part.lstrip().startswith("*") for part in parts):
            return True
        return len(parts) == 1 and not _KEYWORD.match(parts[0]) and not _SCALAR.match(parts[0])


def call_at(code: str, start: int, end: int) -> Call | None:
    """The call that ends a range of a program's blanked code, or None where there is none."""
    text = code[start:end]
    if not text.endswith(")"):
        return None
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if text[at] in ")]}":
            depth += 1
        elif text[at] in "([{":
            depth -= 1
            if not depth:
                return Call(text[at + 1 : -1])
    return None


def _split(arguments: str) -> list[str]:
    parts: list[str] = []
    depth = start = 0
    for at, letter in enumerate(arguments):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and not depth:
            parts.append(arguments[start:at])
            start = at + 1
    parts.append(arguments[start:])
    return [part for part in parts if part.strip()]
