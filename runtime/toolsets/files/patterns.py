"""Patterns that match in linear time, whoever wrote them: regular expressions and path globs.

A pattern of a model's, or of an ignore file, must not be able to stall the host, so all of them run
in the linear engine that pydantic brings. Source: gitignore(5); docs.rs/regex, "Syntax".
"""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import StringConstraints, TypeAdapter
from pydantic_core import SchemaError

_MAX_CHARACTERS: Final = 2_000


class PatternError(ValueError):
    """A pattern is malformed, too long, or needs what a linear engine does not have."""


class Pattern:
    """A regular expression; `matches` searches anywhere in a text.

    Raises:
        PatternError: See there.
    """

    __slots__ = ("_is_match",)

    def __init__(self, expression: str, *, ignore_case: bool = False) -> None:
        if len(expression) > _MAX_CHARACTERS:
            raise PatternError(f"a pattern has at most {_MAX_CHARACTERS} characters")
        text = f"(?i:{expression})" if ignore_case else expression
        try:
            adapter = TypeAdapter(Annotated[str, StringConstraints(pattern=text, strict=True)])
        except SchemaError as error:
            raise PatternError(f"not a regular expression: {_reason(error)}") from None
        self._is_match = adapter.validator.isinstance_python

    def matches(self, text: str) -> bool:
        """Whether it is found in `text`."""
        return self._is_match(text)


def _reason(error: SchemaError) -> str:
    """The engine's own last line, without the schema around it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = next((line for line in lines if line.startswith("error:")), lines[-1])
    return said.removeprefix("error:").strip()[:200]


def glob_expression(glob: str, *, has_braces: bool = True) -> str:
    """A path glob as a regular expression over the whole path, without anchors.

    `*` and `?` stay inside a name, `**` crosses folders, `[!a]` negates, `{a,b}` chooses.

    Args:
        has_braces: Ignore files have none.
    """
    parts: list[str] = []
    depth = 0
    at = 0
    while at < len(glob):
        rest = glob[at:]
        if rest.startswith("**/"):
            parts.append("(?:[^/]+/)*")
            at += 3
            continue
        if rest.startswith("**"):
            parts.append(".*")
            at += 2
            continue
        one = glob[at]
        at += 1
        if one == "*":
            parts.append("[^/]*")
        elif one == "?":
            parts.append("[^/]")
        elif one == "\\" and at < len(glob):
            parts.append(re.escape(glob[at]))
            at += 1
        elif one == "[" and (end := glob.find("]", at + 1)) > 0:
            parts.append(_class(glob[at:end]))
            at = end + 1
        elif has_braces and one == "{" and "}" in rest:
            parts.append("(?:")
            depth += 1
        elif depth and one == "}":
            parts.append(")")
            depth -= 1
        elif depth and one == ",":
            parts.append("|")
        else:
            parts.append(re.escape(one))
    return "".join(parts) + ")" * depth


def _class(inside: str) -> str:
    negated = inside[0] in "!^"
    body = inside[1:] if negated else inside
    escaped = "".join(f"\\{c}" if c in "\\[]^&~" else c for c in body)
    # A slash is never in a class: names do not have one.
    return f"[^/{escaped}]" if negated else f"[{escaped}]"
