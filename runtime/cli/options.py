"""Options that mean the same in every command: said once, so that they read alike everywhere."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from codemode.runtime.cli.output import refuse
from codemode.sandbox.isolation import Required
from codemode.sandbox.limits import Limits


class Isolation(StrEnum):
    """What `--isolation` takes."""

    A = "A"
    B = "B"
    B_minus = "B-"
    unsafe = "unsafe"


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Mcp = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COMMAND",
        help="An MCP server: a command line or an http(s) address, optionally after GROUP=.",
    ),
]
Tools = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODULE:NAME",
        help="Python tools: a tool, a function, or a list; found from the working directory.",
    ),
]
Log = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Append the session to this log (SQLite, or .jsonl)."),
]
Journal = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Keep the run journal here, to resume or replay; needs --log."
    ),
]
Rules = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.toml",
        help="Permission rules for the program's calls; see `codemode policy explain`.",
    ),
]
LeastIsolation = Annotated[
    Isolation, typer.Option("--isolation", help="The least confinement that is accepted.")
]
WallS = Annotated[float, typer.Option(help="Wall clock of the program, seconds.")]
CpuS = Annotated[int, typer.Option(help="Processor time, whole seconds.")]
MemoryMib = Annotated[int, typer.Option(help="Memory above the empty interpreter's, MiB.")]


def required(isolation: Isolation) -> Required:
    """The isolation as the sandbox takes it."""
    return isolation.value


def limits_of(wall_s: float, cpu_s: int, memory_mib: int) -> Limits:
    """The limits of a program; one that cannot be had is a usage error."""
    try:
        return Limits(wall_s=wall_s, cpu_s=cpu_s, memory_bytes=memory_mib << 20)
    except ValueError as error:
        refuse(str(error))


def refuse_lone_journal(journal: Path | None, log: Path | None) -> None:
    """A journal without its log is a usage error."""
    if journal is not None and log is None:
        refuse("--journal needs --log: a journal belongs to a session log")
