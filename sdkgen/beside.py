"""The SDK text beside a native list, in at most 22 % of the tokens of that list.

The list carries every description and every schema, so what the text leaves out first is what
stands there already: the descriptions, the longer rules and the example, nested types of arguments,
the arguments, and at last the types of results. A list of a few tools is shorter than any rules:
the last rung is the floor. Pure; byte-identical for the same tools. Source: SDK 4.1, 4.2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from codemode.sdkgen.catalog import Entry, estimated_tokens, render_listed
from codemode.sdkgen.compact import OUTPUT, SHALLOW
from codemode.sdkgen.documents import own_copy
from codemode.sdkgen.prompt import render_brief
from codemode.sdkgen.spec import ToolSpec

#: Most that the SDK text and `run_code` together may take, in tokens of the native list.
SHARE: Final = 0.22
#: What `run_code` itself takes in that list (98 with o200k).
RUN_CODE_TOKENS: Final = 100
#: Characters a token of a native list, from above, so that the list is not taken for longer than
#: it is (measured: 3.5 to 4.9 with o200k).
_NATIVE_CHARACTERS: Final = 4.9
#: The same of the rules and the example, from below (measured: 4.3 to 4.6).
_PROSE_CHARACTERS: Final = 4.2

_CALLS: Final = "The tools:"
_RESULTS: Final = "The tools; their arguments are those of the direct calls:"


def native_tokens(tools: Iterable[ToolSpec]) -> int:
    """Tokens of the native list, estimated from below without a tokenizer."""
    listed = [[tool.name, tool.description, own_copy(tool.parameters)[0]] for tool in tools]
    text = json.dumps(listed, separators=(",", ":"), ensure_ascii=False)
    return int(len(text) / _NATIVE_CHARACTERS)


def render_beside(
    entries: Sequence[Entry],
    *,
    whole: Callable[[str], str],
    catalog: str,
    native: int,
    catalog_tokens: int | None,
) -> str:
    """The most telling text that fits.

    Args:
        entries: The tools, as for `render_catalog`.
        whole: Rules and example around a catalog.
        catalog: The whole one, within `catalog_tokens`.
        native: Tokens of the native list.
        catalog_tokens: Most tokens of the catalog alone.
    """
    room = native * SHARE - RUN_CODE_TOKENS
    text = ""
    for shown, frame in _rungs(entries, catalog, whole):
        catalog_cost = estimated_tokens(shown)
        if catalog_tokens is not None and catalog_cost > catalog_tokens:
            continue
        text = frame(shown)
        if catalog_cost + (len(text) - len(shown)) / _PROSE_CHARACTERS <= room:
            break
    return text or whole(catalog)


def _rungs(
    entries: Sequence[Entry], catalog: str, whole: Callable[[str], str]
) -> Iterator[tuple[str, Callable[[str], str]]]:
    """Catalogs, each with what makes the text of it, longest first."""
    yield catalog, whole
    calls = render_listed(entries, lambda model: model.call)
    yield calls, whole
    yield calls, lambda shown: render_brief(_CALLS, shown)
    shallow = render_listed(entries, lambda model: model.call_within(SHALLOW, OUTPUT))
    yield shallow, lambda shown: render_brief(_CALLS, shown)
    results = render_listed(entries, lambda model: model.result)
    yield results, lambda shown: render_brief(_RESULTS, shown)
    names = render_listed(entries, lambda model: "")
    yield names, lambda shown: render_brief(_RESULTS, shown)
