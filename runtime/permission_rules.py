"""One permission rule: `tool`, `tool(pattern)`, `tool(argument=pattern)` or `effect:class`.

A pattern without a slash is a text pattern, and `*` is any text. A pattern with a slash is a path
pattern: `*` stays within one part, `**` is any number of parts, and a path is judged in its
shortest form, so that `src/../secret` is not under `src/**`. An allowing rule looks at one
argument, a refusing one at every text argument: doubt never allows.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from codemode.runtime.definition import EFFECTS, READ_ONLY
from codemode.runtime.errors import MisuseError

_CALL: Final = re.compile(r"(?s)([^()\s]+)(?:\((.*)\))?\Z")
_KEYED: Final = re.compile(r"(?s)([A-Za-z_]\w*)=(.*)\Z")
#: What lets a shell run a second command; an allowing `*` does not stand for it.
_SHELL: Final = re.compile(r"[;&|<>`\n\r]|\$\(")


class RuleError(MisuseError):
    """A permission rule cannot be read. Nothing was loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What rules are matched against.

    Attributes:
        name: The canonical name of the tool.
        primary: The argument that a pattern without a key means: the first declared one.
    """

    name: str
    effects: frozenset[str]
    arguments: Mapping[str, Any]
    primary: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule as it was written, and what it means.

    Attributes:
        name: A tool's name, with `*` for any text; "" for a rule about an effect.
        argument: The argument that the pattern is about; None is the primary one.
    """

    text: str
    name: str = ""
    effect: str = ""
    argument: str | None = None
    pattern: str | None = None

    def matches(self, subject: Subject, *, allows: bool) -> bool:
        """Whether the rule is about this call."""
        if self.effect:
            # A read-only grant must not cover a tool that also writes.
            if allows and self.effect == "read":
                return subject.effects == READ_ONLY
            return self.effect in subject.effects
        if not _glob(self.name, crosses=True).match(subject.name):
            return False
        if self.pattern is None:
            return True
        pattern = self.pattern
        return any(
            _is_match(pattern, text, allows=allows, is_command="process" in subject.effects)
            for text in self._texts(subject, allows=allows)
        )

    def _texts(self, subject: Subject, *, allows: bool) -> Iterable[str]:
        key = self.argument or (subject.primary if allows else None)
        if key is None and not allows:
            return [text for text in subject.arguments.values() if isinstance(text, str)]
        value = None if key is None else subject.arguments.get(key)
        return [value] if isinstance(value, str) else []


def parse_rule(text: str) -> Rule:
    """Read one rule.

    Raises:
        RuleError: It is none of the four forms.
    """
    written = text.strip()
    if written.startswith("effect:"):
        effect = written.removeprefix("effect:")
        if effect not in EFFECTS:
            known = ", ".join(sorted(EFFECTS))
            raise RuleError(f"rule {text!r}: unknown effect {effect!r}; known are {known}")
        return Rule(text=written, effect=effect)
    _, colon, effect = written.partition(":")
    if colon and effect.strip().lower() in EFFECTS:
        # Taken for a tool's name it would be about nothing, which of a denial nobody would notice.
        raise RuleError(f"rule {text!r}: did you mean 'effect:{effect.strip().lower()}'?")
    call = _CALL.match(written)
    if call is None:
        raise RuleError(
            f"rule {text!r}: write tool, tool(pattern), tool(argument=pattern) or effect:class"
        )
    name, inner = call[1], call[2]
    if inner is None:
        return Rule(text=written, name=name)
    keyed = _KEYED.match(inner)
    if keyed is None:
        return Rule(text=written, name=name, pattern=inner)
    return Rule(text=written, name=name, argument=keyed[1], pattern=keyed[2])


def parse_call(text: str) -> tuple[str, str | None]:
    """The tool and the text of its primary argument in `tool(text)`, for explanations.

    Raises:
        RuleError: It is not of that form.
    """
    call = _CALL.match(text.strip())
    if call is None:
        raise RuleError(f"{text!r} is not a call: write tool or tool(argument text)")
    return call[1], call[2]


def _is_match(pattern: str, text: str, *, allows: bool, is_command: bool) -> bool:
    if "/" in pattern:
        return bool(_glob(pattern, crosses=False).match(posixpath.normpath(text)))
    if allows and is_command and _SHELL.search(text) and not _SHELL.search(pattern):
        return False
    return bool(_glob(pattern, crosses=True).match(text))


def _glob(pattern: str, *, crosses: bool) -> re.Pattern[str]:
    """A pattern as a regular expression without nested repetition.

    Args:
        crosses: `*` also stands for slashes.
    """
    parts = re.split(r"(\*\*/?|\*)", pattern)
    single = ".*" if crosses else "[^/]*"
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": single}
    return re.compile("(?s)" + "".join(meanings.get(p) or re.escape(p) for p in parts) + r"\Z")
