"""Ignore files: which paths a search leaves out.

A later rule wins over an earlier one, a deeper file over a shallower one, and `!` takes back; what
lies in an ignored folder stays ignored, because nobody looks there. A malformed line is no rule.

Source: gitignore(5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from codemode.runtime.toolsets.files.patterns import Pattern, PatternError, glob_expression

#: Read in this order, so that the second wins over the first.
IGNORE_FILES: Final = (".gitignore", ".ignore")
#: Never looked into.
ALWAYS: Final = frozenset({".git", ".hg", ".svn"})
_MAX_RULES: Final = 5_000


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file.

    Attributes:
        base: The folder of the file, as a prefix: "" or `some/folder/`.
    """

    base: str
    pattern: Pattern
    is_negated: bool
    for_folders: bool


def parse(text: str, base: str) -> list[Rule]:
    """The rules of one ignore file; lines that are no pattern are left out."""
    rules: list[Rule] = []
    for line in text.splitlines()[:_MAX_RULES]:
        rule = _rule(line, base)
        if rule is not None:
            rules.append(rule)
    return rules


def is_ignored(rules: Sequence[Rule], path: str, *, is_folder: bool) -> bool:
    """Whether the last rule that fits says so.

    Args:
        rules: Of every ignore file on the way down, the root's first.
        path: Relative to the root.
    """
    for rule in reversed(rules):
        if rule.for_folders and not is_folder:
            continue
        if path.startswith(rule.base) and rule.pattern.matches(path[len(rule.base) :]):
            return not rule.is_negated
    return False


def _rule(line: str, base: str) -> Rule | None:
    text = _stripped(line)
    if not text or text.startswith("#"):
        return None
    is_negated = text.startswith("!")
    text = text.removeprefix("!")
    for_folders = text.endswith("/")
    text = text.rstrip("/")
    if not text:
        return None
    is_anchored = "/" in text
    text = text.removeprefix("/")
    prefix = "" if is_anchored else "(?:.*/)?"
    try:
        pattern = Pattern(f"^{prefix}{glob_expression(text, has_braces=False)}$")
    except PatternError:
        return None
    return Rule(base, pattern, is_negated, for_folders)


def _stripped(line: str) -> str:
    """Without trailing spaces, unless the last is escaped."""
    text = line.rstrip(" \t\r")
    return f"{text} " if text.endswith("\\") and line[len(text) :].startswith(" ") else text
