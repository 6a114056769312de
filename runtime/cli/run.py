"""`codemode run`: one program, the tools you name, the sandbox, and what the model would read."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, TextIO

import anyio
import typer

from codemode.runtime.cli.approval import Approve, channel_of, policies_of
from codemode.runtime.cli.interrupts import Interrupts
from codemode.runtime.cli.options import (
    CpuS,
    Isolation,
    Journal,
    Json,
    LeastIsolation,
    Log,
    Mcp,
    MemoryMib,
    Rules,
    Tools,
    WallS,
    limits_of,
    refuse_lone_journal,
    required,
)
from codemode.runtime.cli.output import FAILED, OK, refuse
from codemode.runtime.cli.policy import warn_of_rules
from codemode.runtime.cli.results import (
    StreamJson,
    make_folder,
    output_to,
    print_result,
    write_artifacts,
)
from codemode.runtime.cli.sources import collect
from codemode.runtime.cli.stdio import spared
from codemode.runtime.facade import ToolRuntime
from codemode.runtime.result import Result
from codemode.sandbox.program import Outcome


def command(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM.py", help="A file, or - for standard input.")
    ],
    tools: Tools = None,
    mcp: Mcp = None,
    log: Log = None,
    journal: Journal = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="An input file, under its own name in the program's working directory.",
        ),
    ] = None,
    artifacts: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write the files that the program leaves in its working directory here.",
        ),
    ] = None,
    approve: Annotated[
        Approve,
        typer.Option(help="Who answers for MCP tools that are not read-only, and for --rules."),
    ] = Approve.no,
    rules: Rules = None,
    isolation: LeastIsolation = Isolation.B,
    wall_s: WallS = 30.0,
    cpu_s: CpuS = 10,
    memory_mib: MemoryMib = 256,
    as_json: Json = False,
    stream_json: StreamJson = False,
) -> None:
    """Run PROGRAM.py in the sandbox and print what the model would read.

    Exit status 0 when the program succeeded, 1 when it failed, 2 when it could not be started.
    Ctrl-C (130) and SIGTERM (143) abort it; what it printed and its calls are shown as ever.
    """
    refuse_lone_journal(journal, log)
    source = _read(program)
    inputs = _inputs(file or ())
    if artifacts:
        make_folder(artifacts)
    limits = limits_of(wall_s, cpu_s, memory_mib)
    policies = policies_of(approve, rules)
    outcomes: list[Outcome] = []
    interrupts = Interrupts()

    async def go(stdout: TextIO) -> Result:
        async with (
            collect(tools or (), mcp or ()) as found,
            ToolRuntime(
                found,
                mode="code",
                log=log,
                journal="off" if journal is None else "full",
                journal_file=journal,
                limits=limits,
                policies=policies,
                approval=channel_of(approve, source),
                isolation=required(isolation),
            ) as runtime,
            interrupts.taken(),
        ):
            warn_of_rules(policies, found)
            return await runtime.run_code(
                source,
                description=program,
                files=inputs,
                artifacts=("**",) if artifacts else (),
                on_output=output_to(stdout) if stream_json else None,
                on_outcome=outcomes.append,
                signal=interrupts.end,
            )

    with spared(is_spared=as_json or stream_json) as stdout:
        result = anyio.run(go, stdout)
    is_written = not artifacts or write_artifacts(artifacts, outcomes, inputs)
    print_result(result, as_json=as_json, as_stream=stream_json)
    is_fine = is_written and not result.is_error
    raise typer.Exit(interrupts.status or (OK if is_fine else FAILED))


def _read(program: str) -> str:
    if program == "-" and sys.stdin is None:
        refuse("there is no program: standard input is closed")
    try:
        raw = sys.stdin.buffer.read() if program == "-" else Path(program).read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        refuse(f"{program}: {error.strerror or error}")
    except UnicodeDecodeError:
        refuse(f"{program}: not UTF-8 text")


def _inputs(paths: Iterable[Path]) -> dict[str, bytes]:
    """The input files by the name that the program sees."""
    found: dict[str, bytes] = {}
    for path in paths:
        if path.name in found:
            refuse(f"--file {path}: another input file is named {path.name!r} too")
        found[path.name] = _read_bytes(path)
    return found


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        refuse(f"{path}: {error.strerror or error}")
