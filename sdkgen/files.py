"""Tools as JSON Lines, and the renderings by the names that the command line gives them.

Pure functions of text; reading and printing are the caller's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final, Literal, cast, get_args

from codemode.sdkgen.describe import Explanation
from codemode.sdkgen.documents import object_of
from codemode.sdkgen.sdk import Sdk, build_sdk
from codemode.sdkgen.spec import ToolSpec
from codemode.sdkgen.text import folded

Format = Literal["catalog", "prompt", "stubs", "json", "names"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)


def read_tools(text: str) -> list[ToolSpec]:
    """The tools of a JSON Lines text, or of one JSON list.

    Raises:
        ValueError: A line is not JSON, or not a tool; the message has its number.
    """
    if text.lstrip().startswith("["):
        listed = cast("list[object]", _parsed(text, "the text"))
        return [_tool(record, f"tool {at + 1}") for at, record in enumerate(listed)]
    tools: list[ToolSpec] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        tools.append(_tool(_parsed(line, f"line {number}"), f"line {number}"))
    return tools


def _parsed(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(f"{where} is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{where} is not JSON: {error}") from error


def _dumped(value: object) -> str:
    """JSON that can be written; a lone surrogate is an escape, as it was when it was read."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return text.encode("utf-8", "backslashreplace").decode()


def _tool(record: object, where: str) -> ToolSpec:
    fields = object_of(record)
    name = fields.get("name")
    if not isinstance(name, str):
        raise ValueError(f"{where} has no tool name")  # noqa: TRY004 - a fault of the text
    parameters = fields.get("inputSchema", fields.get("parameters", fields.get("input_schema")))
    output = fields.get("outputSchema", fields.get("output_schema"))
    group = fields.get("group", fields.get("source"))
    return ToolSpec(
        name=name,
        description=str(fields.get("description") or ""),
        parameters=object_of(parameters),
        output_schema=cast("Mapping[str, object]", output) if isinstance(output, Mapping) else None,
        group=group if isinstance(group, str) else None,
    )


def render(
    tools: Iterable[ToolSpec],
    form: Format,
    *,
    token_budget: int | None = None,
    explain: str | None = None,
) -> str:
    """The text for one format of the command line.

    Args:
        tools: In any order.
        form: One of `FORMATS`.
        token_budget: Most tokens of the catalog.
        explain: The tool to explain instead, by any of its names.

    Raises:
        LookupError: No tool has the name to explain.
    """
    return rendered(build_sdk(list(tools)), form, token_budget=token_budget, explain=explain)


def rendered(
    sdk: Sdk, form: Format, *, token_budget: int | None = None, explain: str | None = None
) -> str:
    """As `render`, of an SDK that is made already."""
    if explain is not None:
        return explained(sdk.explain(explain), form)
    if form == "stubs":
        return sdk.stubs()
    if form == "prompt":
        return sdk.prompt(token_budget=token_budget)
    if form == "json":
        return _dumped(as_json(sdk))
    if form == "names":
        rows = sdk.names().rows
        return "\n".join("\t".join(map(_cell, (r.group or "-", r.wire, r.path))) for r in rows)
    return sdk.catalog(token_budget)


def _cell(text: str) -> str:
    """A name without anything that would break the table, or hide in it."""
    return folded(text, 200)


def explained(explanation: Explanation, form: Format) -> str:
    """One tool explained, as text or as JSON."""
    if form != "json":
        return explanation.text()
    return _dumped(explanation.as_json())


def as_json(sdk: Sdk) -> dict[str, object]:
    """The bindings of an SDK as plain JSON, for other programs."""
    return {
        "sha256": sdk.sha256,
        "tools": [
            {
                "path": binding.path,
                "aliases": list(binding.aliases),
                "wire": binding.label,
                "group": binding.spec.group,
                "is_closed": binding.is_closed,
                "parameters": [
                    {
                        "key": parameter.key,
                        "name": parameter.name,
                        "required": parameter.required,
                        "is_object": parameter.is_object,
                    }
                    for parameter in binding.parameters
                ],
            }
            for binding in sdk.bindings
        ],
    }
