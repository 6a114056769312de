"""`codemode sdk`: the SDK that a program would see, from the tools you name."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import anyio
import typer

from codemode.runtime.cli.options import Mcp
from codemode.runtime.cli.output import refuse
from codemode.runtime.cli.sources import collect
from codemode.runtime.cli.stdio import spared
from codemode.runtime.code_mode.sdk import spec_of
from codemode.sdkgen import ToolSpec, build_sdk
from codemode.sdkgen.__main__ import read_specs
from codemode.sdkgen.files import rendered


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
    mcp: Mcp = None,
    source: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="TOOLS.jsonl",
            help="Tool definitions, one JSON object a line: name, description, inputSchema, and"
            " where there are any outputSchema and group; - is standard input.",
        ),
    ] = None,
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="catalog: a line a tool, as the model reads it; prompt: the catalog with rules and"
            " an example; stubs: a .pyi for type checkers; names: group, wire name and Python name;"
            " json: names and parameters for programs.",
        ),
    ] = Format.catalog,
    budget: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="TOKENS",
            help="Room for the catalog; above it, less of each tool is shown.",
        ),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(
            metavar="TOOL",
            help="Show one tool, by any of its names: wire name, Python name, schema, catalog line,"
            " stub, and what could not be typed or checked as written.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Print the SDK of the tools you name: what the model reads, or the stubs a checker reads.

    codemode sdk --mcp "mcp-server-git --repository ." --budget 2000

    codemode sdk --tools my_tools:TOOLS --format stubs > tools.pyi

    codemode sdk --from tools.jsonl --explain create-issue
    """
    if not (tools or mcp or source):
        refuse("name some tools: --tools MODULE:NAME, --mcp COMMAND, or --from TOOLS.jsonl")

    async def go() -> list[ToolSpec]:
        async with collect(tools or (), mcp or ()) as found:
            return [spec_of(tool) for tool in found]

    with spared():  # what is made here goes into files
        specs = anyio.run(go)
    for path in source or ():
        try:
            read = read_specs(path)
        except OSError as error:
            refuse(f"{path}: {error.strerror or error}")
        except ValueError as error:
            refuse(f"{path}: {error}")
        if not read:
            refuse(f"{path}: no tools in it")
        specs += read
    shown = Format.json if as_json else form
    try:
        text = rendered(build_sdk(specs), shown.value, token_budget=budget, explain=explain)
    except LookupError as error:
        refuse(str(error))
    typer.echo(text.rstrip("\n"))
