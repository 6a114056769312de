"""`codemode sdk`: the SDK that a program would see, from the tools you name."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import anyio
import typer

from codemode.runtime.cli.output import print_json, refuse
from codemode.runtime.cli.sources import collect
from codemode.runtime.code_mode.sdk import spec_of
from codemode.sdkgen import Sdk, ToolSpec, build_sdk
from codemode.sdkgen.__main__ import read_specs


class Format(StrEnum):
    """What `--format` takes."""

    catalog = "catalog"
    prompt = "prompt"
    stubs = "stubs"
    json = "json"
    names = "names"


def command(
    tools: Annotated[
        list[str] | None, typer.Option(metavar="MODULE:NAME", help="Python tools.")
    ] = None,
    mcp: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COMMAND",
            help="An MCP server: a command line or an address, optionally after GROUP=.",
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="TOOLS.jsonl", help="Tool definitions, one JSON object a line."
        ),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.catalog,
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="TOKENS", help="Room for the catalog; above it, less of each tool is shown."
        ),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(
            metavar="TOOL", help="Show one tool: names, schema, both renderings, degraded nodes."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Print the SDK of the tools you name: what the model reads, or the stubs a checker reads."""
    if not (tools or mcp or source):
        refuse("name some tools: --tools MODULE:NAME, --mcp COMMAND, or --from TOOLS.jsonl")

    async def go() -> list[ToolSpec]:
        async with collect(tools or (), mcp or ()) as found:
            return [spec_of(tool) for tool in found]

    specs = anyio.run(go)
    if source is not None:
        try:
            specs += read_specs(source)
        except (OSError, ValueError) as error:
            refuse(f"{source}: {error}")
    sdk = build_sdk(specs)
    if explain is not None:
        try:
            typer.echo(sdk.explain(explain))
        except LookupError as error:
            refuse(str(error))
        return
    _print(sdk, Format.json if as_json else form, budget)


def _print(sdk: Sdk, form: Format, budget: int | None) -> None:
    if form is Format.json:
        print_json(
            {
                "sha256": sdk.sha256,
                "tools": [
                    {
                        "name": binding.spec.name,
                        "path": binding.path,
                        "aliases": list(binding.aliases),
                        "parameters": [
                            {"key": p.key, "name": p.name, "required": p.required}
                            for p in binding.parameters
                        ],
                        "is_closed": binding.is_closed,
                    }
                    for binding in sdk.bindings
                ],
            }
        )
    elif form is Format.names:
        typer.echo("\n".join(f"{b.path}\t{b.spec.name}" for b in sdk.bindings))
    elif form is Format.stubs:
        typer.echo(sdk.stubs())
    elif form is Format.prompt:
        typer.echo(sdk.prompt("code", token_budget=budget))
    else:
        typer.echo(sdk.catalog(budget))
