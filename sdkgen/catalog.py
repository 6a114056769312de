"""The catalog in the prompt: one compact line per tool, on a ladder of four levels of detail.

The text says which level it is at and how to find what it leaves out. Tools are sorted by namespace
and wire name. Pure; byte-identical for the same set of tools.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from itertools import groupby
from typing import Final

from codemode.sdkgen.compact import SHALLOW
from codemode.sdkgen.model import ToolModel
from codemode.sdkgen.text import MAX_SUMMARY, summary

#: Characters a token, on the safe side for signatures (measured: 3.4 to 4.2 with o200k).
CHARACTERS_A_TOKEN: Final = 3.2
_SHORT_SUMMARY: Final = 60


class Level(IntEnum):
    """How much of each tool is shown, most first."""

    COMPACT = 0
    SHALLOW = 1
    SUMMARY = 2
    NAMES = 3


#: A tool with the name that it has in its namespace.
Entry = tuple[str, str, ToolModel]

_NOTES: Final = {
    Level.COMPACT: "",
    Level.SHALLOW: "Nested types are left out: catalog.describe(name) has them.",
    Level.SUMMARY: (
        "Signatures are left out: catalog.describe(name) has them,"
        " catalog.search(query) finds tools."
    ),
    Level.NAMES: (
        "Only names are listed: catalog.search(query) finds tools,"
        " catalog.describe(name) explains one."
    ),
}


def estimated_tokens(text: str) -> int:
    """Tokens of a catalog text, estimated from above without a tokenizer."""
    wide = 0 if text.isascii() else sum(1 for character in text if character > "\x7f")
    return int((len(text) + 2 * wide) / CHARACTERS_A_TOKEN) + 1


def render_catalog(entries: Sequence[Entry], token_budget: int | None) -> tuple[str, Level]:
    """The catalog at the first level that fits, and that level.

    Args:
        entries: (namespace, name in it, tool), sorted.
        token_budget: Most tokens; None shows everything. Where even the names do not fit, as many
            are listed as do, and the text says how many are not.
    """
    for level in Level:
        text = _render(entries, level)
        if token_budget is None or estimated_tokens(text) <= token_budget:
            return text, level
    return _within(entries, token_budget or 0), Level.NAMES


def render_listed(entries: Sequence[Entry], shown: Callable[[ToolModel], str]) -> str:
    """The catalog for a model that has the native list too: no descriptions, no notes.

    Args:
        shown: What follows the name of each tool, such as its call or only its result.
    """
    return "\n".join(
        "\n".join([f"# {namespace}", *(name + shown(model) for _, name, model in members)])
        for namespace, members in groupby(entries, key=lambda entry: entry[0])
    )


def _render(entries: Sequence[Entry], level: Level) -> str:
    blocks = [_NOTES[level]] if _NOTES[level] and entries else []
    for namespace, members in groupby(entries, key=lambda entry: entry[0]):
        lines = (_LINE[level](name, model) for _, name, model in members)
        separator = ", " if level is Level.NAMES else "\n"
        blocks.append(f"# {namespace}\n{separator.join(lines)}")
    return "\n".join(blocks)


def _within(entries: Sequence[Entry], token_budget: int) -> str:
    low, high = 0, len(entries)
    while low < high:
        middle = (low + high + 1) // 2
        if estimated_tokens(_shortened(entries, middle)) <= token_budget:
            low = middle
        else:
            high = middle - 1
    return _shortened(entries, low)


def _shortened(entries: Sequence[Entry], shown: int) -> str:
    left_out = len(entries) - shown
    tail = f"{left_out} more tools are not listed: catalog.search(query) finds them."
    return f"{_render(entries[:shown], Level.NAMES)}\n{tail}".lstrip("\n")


def _compact(name: str, model: ToolModel) -> str:
    return _commented(name + model.call, model)


def _shallow(name: str, model: ToolModel) -> str:
    return _commented(name + model.call_within(SHALLOW, SHALLOW), model, _SHORT_SUMMARY)


def _summary(name: str, model: ToolModel) -> str:
    return _commented(name, model, _SHORT_SUMMARY)


def _name(name: str, model: ToolModel) -> str:
    return name


def _commented(line: str, model: ToolModel, limit: int = MAX_SUMMARY) -> str:
    text = summary(model.spec.description, limit)
    return f"{line} # {text}" if text else line


_LINE: Final[dict[Level, Callable[[str, ToolModel], str]]] = {
    Level.COMPACT: _compact,
    Level.SHALLOW: _shallow,
    Level.SUMMARY: _summary,
    Level.NAMES: _name,
}
