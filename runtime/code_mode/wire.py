"""What each mode lets a model call directly: the wire list.

Source: spec CODE_MODE 1.2, 1.6; PIPELINE 1.6.
"""

from __future__ import annotations

from typing import Any, Final

from codemode.runtime.definition import Tool
from codemode.runtime.scope import Scope
from codemode.sdkgen import ToolSpec, WireDialect, wire_tools

#: Room for the catalog in the prompt, in tokens; above it the catalog says how to find the rest.
CATALOG_TOKENS: Final = 8_000


def wire_list(scope: Scope, run_code: Tool, dialect: WireDialect) -> list[dict[str, Any]]:
    """The tools that the model may call directly, in a vendor's form."""
    return wire_tools(wire_specs(scope, run_code), dialect)


def wire_specs(scope: Scope, run_code: Tool) -> list[ToolSpec]:
    """The same in no vendor's form: an allow-list of name, description and parameters."""
    mode = scope.mode
    tools: list[Tool] = [] if mode == "code" else list(scope.view().native())
    if mode != "native":
        tools.append(run_code)
    return [
        ToolSpec(name=t.name, description=t.description, parameters=t.parameters) for t in tools
    ]
