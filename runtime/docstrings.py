"""Docstrings as descriptions: what a function does, and what each parameter means.

Reads the Google, NumPy and reST conventions. Never raises: text that it cannot read is description.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Documentation:
    """What a docstring says.

    Attributes:
        description: The text before the first section.
        parameters: Parameter -> its description, on one line.
    """

    description: str = ""
    parameters: dict[str, str] = field(default_factory=dict[str, str])


_PARAMETER_SECTIONS: Final = frozenset(
    {
        "args", "arguments", "parameters", "params", "keyword args", "keyword arguments",
        "other parameters",
    }
)  # fmt: skip
_SECTIONS: Final = _PARAMETER_SECTIONS | {
    "returns", "return", "yields", "yield", "raises", "raise", "note", "notes", "example",
    "examples", "attributes", "references", "see also", "warning", "warnings", "warns", "todo",
    "source",
}  # fmt: skip

_HEADER: Final = re.compile(r"^([A-Za-z][A-Za-z ]*):\s*$")
_RULE: Final = re.compile(r"^-{3,}\s*$")
_GOOGLE_ITEM: Final = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_NUMPY_ITEM: Final = re.compile(r"^\*{0,2}(\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")
_FIELD: Final = re.compile(r"^:(\w+)(?:\s+([^:]+))?:\s*(.*)$")
_FIELD_PARAMETERS: Final = frozenset({"param", "parameter", "arg", "argument", "key", "keyword"})


def read_docstring(text: str | None) -> Documentation:
    """Read a docstring of any of the three conventions."""
    if not text:
        return Documentation()
    lines = inspect.cleandoc(text).splitlines()
    description: list[str] = []
    parameters: dict[str, str] = {}
    at = 0
    has_section = False
    while at < len(lines):
        line = lines[at]
        if _FIELD.match(line):
            has_section = True
            at = _read_field(lines, at, parameters)
        elif (section := _section(lines, at)) is not None:
            has_section = True
            name, body = section
            end = _section_end(lines, body)
            if name in _PARAMETER_SECTIONS:
                is_numpy = body == at + 2
                (_read_numpy if is_numpy else _read_google)(lines[body:end], parameters)
            at = end
        else:
            if not has_section:
                description.append(line)
            at += 1
    return Documentation("\n".join(description).strip(), parameters)


def _section(lines: list[str], at: int) -> tuple[str, int] | None:
    """The name of a section that begins at `at`, and its first line."""
    header = _HEADER.match(lines[at])
    if header and header[1].lower() in _SECTIONS:
        return header[1].lower(), at + 1
    name = lines[at].strip().lower()
    if name in _SECTIONS and at + 1 < len(lines) and _RULE.match(lines[at + 1]):
        return name, at + 2
    return None


def _section_end(lines: list[str], begin: int) -> int:
    for at in range(begin, len(lines)):
        if _section(lines, at) is not None or _FIELD.match(lines[at]):
            return at
    return len(lines)


def _read_google(lines: list[str], parameters: dict[str, str]) -> None:
    indent = next((_indent(line) for line in lines if line.strip()), 0)
    name = ""
    for line in lines:
        item = _GOOGLE_ITEM.match(line.strip()) if _indent(line) == indent else None
        if item:
            name = item[1]
            parameters[name] = item[2].strip()
        elif name and line.strip():
            parameters[name] = f"{parameters[name]} {line.strip()}".strip()


def _read_numpy(lines: list[str], parameters: dict[str, str]) -> None:
    names: list[str] = []
    for line in lines:
        item = _NUMPY_ITEM.match(line) if line and not line[0].isspace() else None
        if item:
            names = [name.strip().lstrip("*") for name in item[1].split(",")]
            parameters.update(dict.fromkeys(names, ""))
        elif line.strip():
            for name in names:
                parameters[name] = f"{parameters[name]} {line.strip()}".strip()


def _read_field(lines: list[str], at: int, parameters: dict[str, str]) -> int:
    match = _FIELD.match(lines[at])
    if match is None:
        return at + 1
    words = [match[3].strip()]
    end = at + 1
    while end < len(lines) and lines[end][:1].isspace() and lines[end].strip():
        words.append(lines[end].strip())
        end += 1
    if match[1] in _FIELD_PARAMETERS and match[2]:
        parameters[match[2].split()[-1].lstrip("*")] = " ".join(words).strip()
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
