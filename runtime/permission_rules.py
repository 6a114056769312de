"""One permission rule: `tool`, `tool(pattern)`, `tool(argument=pattern)` or `effect:class`.

A pattern without a slash is a text pattern, and `*` is any text. A pattern with a slash is a path
pattern: `*` stays within one part, `**` is any number of parts, and a path is judged in its
shortest form, so that `src/../secret` is not under `src/**`. An allowing rule looks at one text
argument; a refusing one at every text, number and truth value of all arguments, at what lies inside
lists and objects, and at the default of what was left out: doubt never allows.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, cast

from codemode.runtime.definition import EFFECTS, READ_ONLY
from codemode.runtime.errors import MisuseError

_CALL: Final = re.compile(r"(?s)([^()\s]+)(?:\((.*)\))?\Z")
_KEYED: Final = re.compile(r"(?s)([A-Za-z_]\w*)=(.*)\Z")
#: What an allowing `*` stands for in a command: nothing that lets a shell run a second one.
_CALM: Final = r"(?!\$\()[^;&|<>`\n\r]"


class RuleError(MisuseError):
    """A permission rule cannot be read. Nothing was loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What rules are matched against.

    Attributes:
        name: The canonical name of the tool.
        primary: The argument that a pattern without a key means: the first declared one.
        defaults: What the tool's schema says of arguments that are left out.
    """

    name: str
    effects: frozenset[str]
    arguments: Mapping[str, Any]
    primary: str | None
    defaults: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def is_command(self) -> bool:
        """Whether its texts may reach a shell; so they may, of a tool that declares no effect."""
        return not self.effects or "process" in self.effects


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
        if not self.is_about(subject.name):
            return False
        if self.pattern is None:
            return True
        find = _allows if allows else _refuses
        pattern = self.pattern
        return any(
            find(pattern, text, is_command=subject.is_command)
            for text in self._texts(subject, allows=allows)
        )

    def is_about(self, name: str) -> bool:
        """Whether its name, if it has one, is that of a tool."""
        return bool(self.name) and _glob(self.name, crosses=True).match(name) is not None

    def _texts(self, subject: Subject, *, allows: bool) -> Iterable[str]:
        if allows:
            key = self.argument or subject.primary
            value = None if key is None else subject.arguments.get(key)
            return [value] if isinstance(value, str) else []
        held = {**subject.defaults, **subject.arguments}
        return _all_texts(held if self.argument is None else held.get(self.argument))


def _all_texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, wherever it lies; numbers and truth values as JSON has them."""
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            todo.extend(cast("Mapping[str, Any]", one).values())
        elif isinstance(one, (list, tuple)):
            todo.extend(cast("Iterable[Any]", one))
        elif one is not None:
            yield json.dumps(one)


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
    argument, pattern = keyed(inner)
    return Rule(text=written, name=name, argument=argument, pattern=pattern)


def keyed(inner: str) -> tuple[str | None, str]:
    """The argument and the text in `argument=text`; None and all of it where there is no key."""
    found = _KEYED.match(inner)
    return (None, inner) if found is None else (found[1], found[2])


def parse_call(text: str) -> tuple[str, str | None]:
    """The tool and what stands in the brackets of `tool(text)`, for explanations.

    Raises:
        RuleError: It is not of that form.
    """
    call = _CALL.match(text.strip())
    if call is None:
        raise RuleError(f"{text!r} is not a call: write tool or tool(argument text)")
    return call[1], call[2]


def _shortest(path: str) -> str:
    """`path` in its shortest form; two slashes at its beginning are one to the kernel."""
    return re.sub("^//+", "/", posixpath.normpath(path))


def _allows(pattern: str, text: str, *, is_command: bool) -> bool:
    if "/" not in pattern:
        return bool(_glob(pattern, crosses=True, is_calm=is_command).match(text))
    glob = _glob(_shortest(pattern), crosses=False, is_calm=is_command)
    return bool(glob.match(_shortest(text)))


def _refuses(pattern: str, text: str, **_: bool) -> bool:
    path = _shortest(text)
    if "/" not in pattern:
        texts = (text, path) if "/" in text else (text,)
        return any(_glob(pattern, crosses=True).match(one) for one in texts)
    short = _shortest(pattern)
    # What is about all that lies in a folder is about the folder too.
    return any(
        _glob(one, crosses=False).match(path) for one in {short, short.removesuffix("/**") or "/"}
    )


@lru_cache(maxsize=1_024)
def _glob(pattern: str, *, crosses: bool, is_calm: bool = False) -> re.Pattern[str]:
    """A pattern as a regular expression without nested repetition.

    Args:
        crosses: `*` also stands for slashes.
        is_calm: No `*` stands for what would begin a second command.
    """
    parts = re.split(r"(\*\*/?|\*)", pattern)
    one = f"(?:{_CALM})" if is_calm else "."
    single = f"{one}*" if crosses else f"(?:(?!/){one})*"
    meanings = {"**/": f"(?:{one}*/)?", "**": f"{one}*", "*": single}
    return re.compile("(?s)" + "".join(meanings.get(p) or re.escape(p) for p in parts) + r"\Z")
