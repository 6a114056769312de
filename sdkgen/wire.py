"""Tools in the formats of the vendors' APIs, under names that each of them accepts.

Names are changed only where a vendor would refuse them or two would meet, and the change can be
undone. One tool that a vendor refuses costs the whole request, so schemas become sound ones of
JSON Schema 2020-12 and lose what a vendor refuses at the root; everything else stays, and calls are
validated against the original on the host. Pure; never raises.

Sources: OpenAI API reference, "Chat: tools" and "Responses: tools"; Anthropic API reference,
"Messages: tools"; Model Context Protocol 2025-11-25, "Tools".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from codemode.sdkgen.documents import digest, object_of
from codemode.sdkgen.identifiers import schemas_of
from codemode.sdkgen.spec import ToolSpec
from codemode.sdkgen.text import encodable
from codemode.sdkgen.validation import is_valid_pattern, sound_schema

WireDialect = Literal["openai-chat", "openai-responses", "anthropic", "mcp"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """What a vendor accepts.

    Attributes:
        refused: Keywords that may not stand at the root of the parameters.
        keeps_dialect: `$schema` may name another dialect than 2020-12.
        wants_items: A list without `items` is refused.
    """

    alphabet: re.Pattern[str]
    max_name: int = 64
    refused: frozenset[str] = frozenset()
    keeps_dialect: bool = False
    wants_items: bool = False


_COMBINERS: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "enum", "const", "if", "then", "else"}
)
_OF_LISTS: Final = ("items", "prefixItems", "additionalItems", "contains", "unevaluatedItems")
_WORD: Final = re.compile(r"[^A-Za-z0-9_-]+")
_RULES: Final[Mapping[WireDialect, _Rules]] = {
    "openai-chat": _Rules(alphabet=_WORD, refused=_COMBINERS, wants_items=True),
    "openai-responses": _Rules(alphabet=_WORD, refused=_COMBINERS, wants_items=True),
    "anthropic": _Rules(alphabet=_WORD, refused=_COMBINERS),
    "mcp": _Rules(alphabet=re.compile(r"[^A-Za-z0-9_.-]+"), max_name=128, keeps_dialect=True),
}


def wire_names(tools: Sequence[ToolSpec], dialect: WireDialect) -> dict[str, ToolSpec]:
    """The name that each tool has on the wire -> the tool; in the order of `tools`.

    A tool keeps its exact name where the vendor takes it and no other tool has it; tools of two
    groups with one name get their group in front.
    """
    rules = _RULES[dialect]
    counts: dict[str, int] = {}
    for tool in tools:
        counts[tool.name] = counts.get(tool.name, 0) + 1
    exact = {tool.name for tool in tools if counts[tool.name] == 1 and _fits(tool.name, rules)}
    names: dict[str, ToolSpec] = {}
    for tool in tools:
        if tool.name in exact:
            names[tool.name] = tool
            continue
        full = f"{tool.group}__{tool.name}" if tool.group and counts[tool.name] > 1 else tool.name
        names[_unique(full, rules, names.keys() | exact)] = tool
    return names


def wire_tools(tools: Sequence[ToolSpec], dialect: WireDialect) -> list[dict[str, object]]:
    """The native tool list for one vendor's API, in the order of `tools`."""
    write = _WRITERS[dialect]
    rules = _RULES[dialect]
    return [
        write(name, tool, _parameters(tool.parameters, rules))
        for name, tool in wire_names(tools, dialect).items()
    ]


def _fits(name: str, rules: _Rules) -> bool:
    return 0 < len(name) <= rules.max_name and rules.alphabet.search(name) is None


def _unique(name: str, rules: _Rules, taken: set[str]) -> str:
    plain = rules.alphabet.sub("_", name).strip("_") or "tool"
    if plain not in taken and len(plain) <= rules.max_name:
        return plain
    mark = digest(name)
    for length in range(6, len(mark)):
        choice = f"{plain[: rules.max_name - length - 1]}_{mark[:length]}"
        if choice not in taken:
            return choice
    # The very same tool twice: count.
    number = 2
    while f"{plain[: rules.max_name - 12]}_{number}" in taken:
        number += 1
    return f"{plain[: rules.max_name - 12]}_{number}"


def _parameters(schema: Mapping[str, object], rules: _Rules) -> dict[str, object]:
    sound = sound_schema(schema, is_usable=_is_pattern, keeps_dialect=rules.keeps_dialect)
    if sound.get("type") != "object":
        sound["type"] = "object"
        sound["properties"] = object_of(sound.get("properties"))
        for word in _OF_LISTS:
            sound.pop(word, None)
    sound.setdefault("properties", {})
    if rules.wants_items:
        for node in schemas_of(sound):
            if _may_be_list(node):
                node.setdefault("items", {})
    return {word: value for word, value in sound.items() if word not in rules.refused}


def _may_be_list(node: Mapping[str, object]) -> bool:
    declared = node.get("type")
    return declared == "array" or (isinstance(declared, list) and "array" in declared)


def _is_pattern(pattern: str) -> bool:
    """Whether a vendor can read it; whether it is fast to match matters to us alone."""
    if is_valid_pattern(pattern):
        return True
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _openai_chat(name: str, tool: ToolSpec, parameters: dict[str, object]) -> dict[str, object]:
    function = {"name": name, "description": encodable(tool.description), "parameters": parameters}
    return {"type": "function", "function": function}


def _openai_responses(
    name: str, tool: ToolSpec, parameters: dict[str, object]
) -> dict[str, object]:
    return {
        "type": "function",
        "name": name,
        "description": encodable(tool.description),
        "parameters": parameters,
        "strict": False,
    }


def _anthropic(name: str, tool: ToolSpec, parameters: dict[str, object]) -> dict[str, object]:
    return {"name": name, "description": encodable(tool.description), "input_schema": parameters}


def _mcp(name: str, tool: ToolSpec, parameters: dict[str, object]) -> dict[str, object]:
    listed: dict[str, object] = {
        "name": name,
        "description": encodable(tool.description),
        "inputSchema": parameters,
    }
    if tool.output_schema is not None:
        output = sound_schema(tool.output_schema, is_usable=_is_pattern, keeps_dialect=True)
        # The protocol knows outputs that are objects only.
        if output.get("type") == "object":
            listed["outputSchema"] = output
    return listed


_WRITERS: Final = {
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "anthropic": _anthropic,
    "mcp": _mcp,
}
