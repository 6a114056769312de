"""From the tools that a scope sees to what its programs call: sdkgen's specs, sandbox bindings.

The only place where sdkgen's names meet the sandbox's. Source: spec CODE_MODE 3.1, SDK 1 and 5.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from codemode.runtime.definition import Tool
from codemode.runtime.scope import Scope, View
from codemode.sandbox.errors import ToolCallError
from codemode.sandbox.program import Binding, Call, Parameter, Signature
from codemode.sandbox.values import Json
from codemode.sdkgen import Sdk, ToolBinding, ToolSpec, build_sdk

#: Takes the tool's wire name and the call; see `DispatchBridge.submit`.
Submit = Callable[[str, Call], Awaitable[Json]]

_MAX_HITS: Final = 50


def spec_of(tool: Tool) -> ToolSpec:
    """What sdkgen may know of a tool: an allow-list."""
    schema = tool.output.schema if tool.output is not None else None
    return ToolSpec(
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        output_schema=schema or None,
        group=tool.group,
    )


class SdkCache:
    """One SDK for each scope, made anew only when the scope's view changes."""

    def __init__(self) -> None:
        self._made: dict[Scope, tuple[View, Sdk]] = {}

    def get(self, scope: Scope) -> Sdk:
        """The SDK of what a program of `scope` may call, published tools only."""
        view = scope.view()
        cached = self._made.get(scope)
        if cached is None or cached[0] is not view:
            published = [tool for tool in view.bindings() if tool.advertised]
            cached = (view, build_sdk([spec_of(tool) for tool in published]))
            self._made[scope] = cached
        return cached[1]


def bindings(sdk: Sdk, hidden: Mapping[str, str], submit: Submit) -> dict[str, Binding]:
    """The grant table of one run: the published tools, the others by exact name, the lookups.

    Args:
        hidden: See `View.unpublished`: callable as `tools["exact-name"]` only.
    """
    table = {binding.path: _binding(binding, submit) for binding in sdk.bindings}
    for label, name in hidden.items():
        table[_hidden_path(table)] = Binding(
            handler=_handler(name, submit), label=label, is_hidden=True
        )
    for path, name, lookup in (
        ("catalog.search", "tools.search", _search(sdk)),
        ("catalog.describe", "tools.describe", _describe(sdk)),
    ):
        aliases = () if name in table or any(name in b.aliases for b in table.values()) else (name,)
        table[path] = Binding(
            handler=lookup, signature=_LOOKUPS[path], aliases=aliases, is_lookup=True
        )
    return table


def wire_names(sdk: Sdk, hidden: Mapping[str, str]) -> dict[str, str]:
    """The tools' wire names, by the paths that `bindings` gives them."""
    names = {binding.path: binding.spec.name for binding in sdk.bindings}
    for name in hidden.values():
        names[_hidden_path(names)] = name
    return names


def _binding(binding: ToolBinding, submit: Submit) -> Binding:
    return Binding(
        handler=_handler(binding.spec.name, submit),
        signature=Signature(
            parameters=tuple(
                Parameter(
                    key=parameter.key,
                    name=parameter.name,
                    required=parameter.required,
                    is_object=parameter.is_object,
                )
                for parameter in binding.parameters
            ),
            is_closed=binding.is_closed,
            doc=binding.doc,
        ),
        label=binding.label,
        aliases=binding.aliases,
    )


def _handler(name: str, submit: Submit) -> Callable[[Call], Awaitable[Json]]:
    return lambda call: submit(name, call)


def _hidden_path(taken: Mapping[str, object]) -> str:
    """A path for a binding that programs reach by its label only."""
    number = 1
    while (path := f"tools.hidden_{number}") in taken:
        number += 1
    return path


_LOOKUPS: Final = {
    "catalog.search": Signature(
        parameters=(
            Parameter(key="query", name="query", required=True),
            Parameter(key="limit", name="limit"),
        ),
        is_closed=True,
        doc="Find tools by what they do: catalog.search('create an issue', limit=10).",
    ),
    "catalog.describe": Signature(
        parameters=(Parameter(key="name", name="name", required=True),),
        is_closed=True,
        doc="The full documentation of one tool: catalog.describe('tools.search').",
    ),
}


def _search(sdk: Sdk) -> Callable[[Call], Awaitable[Json]]:
    async def search(call: Call) -> Json:
        query, limit = call.arguments.get("query"), call.arguments.get("limit", 10)
        if not isinstance(query, str):
            raise ToolCallError("catalog.search", "query: expected text", "INVALID_ARGS")
        if not isinstance(limit, int) or isinstance(limit, bool) or not 0 < limit <= _MAX_HITS:
            raise ToolCallError(
                "catalog.search",
                f"limit: expected an integer from 1 to {_MAX_HITS}",
                "INVALID_ARGS",
            )
        return [
            {"name": hit.name, "signature": hit.signature, "summary": hit.summary}
            for hit in sdk.search(query, limit)
        ]

    return search


def _describe(sdk: Sdk) -> Callable[[Call], Awaitable[Json]]:
    async def describe(call: Call) -> Json:
        name = call.arguments.get("name")
        if not isinstance(name, str):
            raise ToolCallError("catalog.describe", "name: expected text", "INVALID_ARGS")
        try:
            return sdk.describe(name)
        except LookupError as error:
            raise ToolCallError("catalog.describe", str(error), "UNKNOWN_TOOL") from error

    return describe
