"""Where in a program a tool call is a value, where it is awaitable, and where it may be either.

A type checker has one type for a name, but a call blocks in plain code and gives an awaitable in a
coroutine (SDK 2.5). So in a program that has coroutines, the name before a call is exchanged for a
tagged one of the same length, which the checker knows under another type: no position moves. Where
the text does not tell, it is "either", of which the checker knows the arguments and not the result.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from codemode.runtime.typecheck.text import Line, ProgramText

Kind = Literal["value", "handle", "either"]
Tagged = Literal["handle", "either"]

_TAGGED: Final[tuple[Tagged, ...]] = ("handle", "either")
_COROUTINE: Final = re.compile(r"\b(?:async|await)\b")
_IMPORT: Final = re.compile(r"\s*(?:from|import)\b")
_LAMBDA: Final = re.compile(r"\blambda\b")
_CALL: Final = re.compile(r"\s*(?:\.\s*\w+\s*){1,2}\(")
_ACCESS: Final = re.compile(r"\s*[.\[]")
#: The tags of the n-th name are the n-th pair of letters from here: one character each.
_FIRST_TAG: Final = 0x4E00


def tag(name: str, number: int, kind: Tagged) -> str:
    """The name of the same length that stands for `name`, the `number`-th of the SDK's globals."""
    return chr(_FIRST_TAG + 2 * number + (kind == "either")) + name[1:]


class Tagger:
    """Tags the programs of one SDK.

    Args:
        names: Its globals that tools are reached by, `tools` and the groups.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._numbers = {name: number for number, name in enumerate(names)}
        self._name = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})\b")
        self._untagged = {
            tag(name, number, kind): name
            for name, number in self._numbers.items()
            for kind in _TAGGED
        }
        self._tag = re.compile("|".join(map(re.escape, self._untagged)))

    def tagged(self, program: ProgramText) -> str:
        """The program as the checker gets it, every character in its place."""
        text = program.uncommented
        if not _COROUTINE.search(program.code):
            return text
        plain = self._plain_names(program)
        top: Kind = "handle" if _is_top_async(program) else "value"
        pieces: list[str] = []
        done = 0
        for line in program.lines:
            kind = _kind(line, program, top)
            for found in self._names(line, program.code):
                name = found[0]
                if (here := _kind_here(kind, line, program.code, found, name in plain)) != "value":
                    pieces += text[done : found.start()], tag(name, self._numbers[name], here)
                    done = found.end()
        return "".join([*pieces, text[done:]])

    def untagged(self, text: str) -> str:
        """A text of the checker's with the names as the program has them."""
        return self._tag.sub(lambda found: self._untagged[found[0]], text)

    def _names(self, line: Line, code: str) -> Iterator[re.Match[str]]:
        return self._name.finditer(code, line.start, line.end)

    def _plain_names(self, program: ProgramText) -> set[str]:
        """The names that the program only looks into, and never passes on or binds anew."""
        bound = {
            found[0]
            for line in program.lines
            if not _IMPORT.match(line.text)
            for found in self._names(line, program.code)
            if not _ACCESS.match(program.code, found.end())
        }
        return set(self.names) - bound


def _is_top_async(program: ProgramText) -> bool:
    """Whether the top level itself is a coroutine, for an `await` of its own."""
    return any(
        line.owner is None and line.defines is None and _COROUTINE.search(line.text)
        for line in program.lines
    )


def _kind(line: Line, program: ProgramText, top: Kind) -> Kind:
    """What a call on a line gives."""
    if line.defines is not None or _LAMBDA.search(line.text):
        return "either"
    if line.owner is None:
        return top
    return "handle" if program.functions[line.owner].is_async else "either"


def _kind_here(kind: Kind, line: Line, code: str, found: re.Match[str], is_plain: bool) -> Kind:
    if _IMPORT.match(line.text):
        before = code[line.start : found.start()].split()
        # `from tools import github`: the module is tagged, what is taken from it has its own name.
        return "either" if before == ["from"] or before[:1] == ["import"] else "value"
    return kind if is_plain and _CALL.match(code, found.end()) else "either"
