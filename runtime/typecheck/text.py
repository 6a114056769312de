"""A program's text as far as a scan of lines can tell: strings, comments, functions, what is used.

The host neither parses nor compiles a program. What is here never fails and takes linear time, and
it is only used to leave findings out: where the scan is wrong about a text, a finding is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

_LITERAL: Final = re.compile(
    r"""\"\"\"(?:\\.|(?!\"\"\").)*(?:\"\"\"|\Z)
      | '''(?:\\.|(?!''').)*(?:'''|\Z)
      | "(?:\\.|[^"\\\n])*"?
      | '(?:\\.|[^'\\\n])*'?
      | \#[^\n]*""",
    re.DOTALL | re.VERBOSE,
)
_DEF: Final = re.compile(r"(?P<asynchronous>async\s+)?def\s+(?P<name>\w+)")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the program.

    Attributes:
        outer: The one that it is defined in, by number.
        is_called_unnamed: By a decorator, or by the language itself, as `__init__` is.
    """

    name: str
    is_async: bool
    outer: int | None
    is_called_unnamed: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A logical line: joined over brackets and backslashes, and not empty.

    Attributes:
        start: Its first character's offset.
        owner: The innermost function that it is in, by number; None at the top level.
        defines: The function whose header it is, by number.
    """

    start: int
    end: int
    text: str
    owner: int | None
    defines: int | None


class ProgramText:
    """One program.

    Attributes:
        source: As it was written.
        code: The same with strings made quotes and comments made spaces. As long as before; line
            breaks inside strings go too, so what is left of them end lines.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.code = _LITERAL.sub(_blank, source)

    @property
    def uncommented(self) -> str:
        """The source without comments: none may tell a checker what to leave out."""
        return _LITERAL.sub(
            lambda found: found[0] if found[0][0] != "#" else _blank(found), self.source
        )

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """In the order of their definitions."""
        return self._layout[1]

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """In order."""
        return self._layout[0]

    @cached_property
    def used(self) -> frozenset[int]:
        """The functions that may run: what runs at the top level names them, or what they name."""
        used: set[int] = set()
        words: set[str] = set()
        waiting = list(self.lines)
        while True:
            running = [line for line in waiting if line.owner is None or line.owner in used]
            for line in running:
                own = (
                    {self.functions[line.defines].name} if line.defines is not None else set[str]()
                )
                words.update(set(_WORD.findall(line.text)) - own)
            waiting = [line for line in waiting if not (line.owner is None or line.owner in used)]
            more = {
                number
                for number, function in enumerate(self.functions)
                if (function.outer is None or function.outer in used)
                and (function.is_called_unnamed or function.name in words)
            }
            if more <= used:
                return frozenset(used)
            used |= more

    def is_unused(self, offset: int) -> bool:
        """Whether a place is in the body of a function that nothing in the program calls."""
        for line in self.lines:
            if line.start <= offset < line.end:
                return line.owner is not None and line.owner not in self.used
        return False

    @cached_property
    def _layout(self) -> tuple[tuple[Line, ...], tuple[Function, ...]]:
        lines: list[Line] = []
        functions: list[Function] = []
        scopes: list[tuple[int, int]] = []  # indentation, function
        is_decorated = False
        for start, end in _logical_lines(self.code):
            text = self.code[start:end]
            head = text.lstrip()
            indent = len(text[: len(text) - len(head)].expandtabs())
            while scopes and scopes[-1][0] >= indent:
                scopes.pop()
            owner = scopes[-1][1] if scopes else None
            defines = None
            if found := _DEF.match(head):
                defines = len(functions)
                name = found["name"]
                functions.append(
                    Function(
                        name=name,
                        is_async=found["asynchronous"] is not None,
                        outer=owner,
                        is_called_unnamed=is_decorated or name.startswith("__"),
                    )
                )
                scopes.append((indent, defines))
            is_decorated = head.startswith("@")
            lines.append(Line(start, end, text, owner, defines))
        return tuple(lines), tuple(functions)


def _blank(found: re.Match[str]) -> str:
    return (" " if found[0][0] == "#" else '"') * len(found[0])


def _logical_lines(code: str) -> Iterator[tuple[int, int]]:
    start = at = depth = 0
    for line in code.split("\n"):
        end = at + len(line)
        depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        depth = max(depth, 0)
        if not depth and not line.endswith("\\"):
            if code[start:end].strip():
                yield start, end
            start = end + 1
        at = end + 1
    if code[start:].strip():
        yield start, len(code)
