"""Options that mean the same in every command: said once, so that they read alike everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Mcp = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COMMAND",
        help="An MCP server: a command line or an http(s) address, optionally after GROUP=.",
    ),
]
