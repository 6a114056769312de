"""`codemode resume`: go on with a program that was interrupted, by its log and its journal."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated, Any, TextIO

import anyio
import typer

from codemode.runtime.audit.run_calls import BegunCall
from codemode.runtime.audit.run_record import (
    UnusableRecordError,
    file_of,
    find_run,
    program_of,
)
from codemode.runtime.cli.approval import Approve, channel_of, policies_of
from codemode.runtime.cli.calls import CallId, HomeSession, ItsJournal, Log, opened
from codemode.runtime.cli.interrupts import Interrupts
from codemode.runtime.cli.options import (
    CpuS,
    Isolation,
    Json,
    LeastIsolation,
    Mcp,
    MemoryMib,
    Rules,
    Tools,
    limits_of,
    required,
)
from codemode.runtime.cli.output import (
    FAILED,
    OK,
    USAGE,
    complain,
    print_json,
    print_json_line,
    printable,
    refuse,
)
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
from codemode.runtime.log.journal import SqliteJournal, journal_path
from codemode.runtime.result import Result
from codemode.runtime.resumption import ResumeRefusedError
from codemode.sandbox.program import Outcome


def command(
    log: Log,
    call_id: CallId,
    tools: Tools = None,
    mcp: Mcp = None,
    journal: ItsJournal = None,
    session: HomeSession = None,
    answer: Annotated[
        list[str] | None,
        typer.Option(metavar="N=JSON", help="What call N came to, as you have found out."),
    ] = None,
    repeat: Annotated[
        list[int] | None,
        typer.Option(metavar="N", help="Make call N again: you have found that it did not happen."),
    ] = None,
    artifacts: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write the files here that the run was to hand over at its end."
        ),
    ] = None,
    approve: Annotated[
        Approve,
        typer.Option(help="Who answers for MCP tools that are not read-only, and for --rules."),
    ] = Approve.ask,
    rules: Rules = None,
    isolation: LeastIsolation = Isolation.B,
    cpu_s: CpuS = 10,
    memory_mib: MemoryMib = 256,
    as_json: Json = False,
    stream_json: StreamJson = False,
) -> None:
    """Go on with a program that a crash, a signal or the end of its host had interrupted.

    It runs again from its beginning with the answers that the journal has, up to where it stopped,
    then live, with the tools that you name: the same as before. A call that may have changed
    something, and whose answer the journal does not have, is never made again by itself: it is
    shown, and you say what it came to (--answer), or that it may be made again (--repeat).

    A run is resumed once: what is refused then fails the program as ever, so give the --rules and
    the --approve that it had.

    Exit status 0 when the program succeeded, 1 when it failed, also because tools or program are
    others than they were, 2 when it cannot be resumed so.

    codemode resume s.sqlite call_4af5f424e4674018 --tools my_tools:TOOLS
    """
    file = journal or journal_path(log)
    if not log.exists():
        refuse(f"{log}: no such file")
    if not file.exists():
        refuse(f"{file}: no such file; --journal names the one that the run had")
    answers = _answers(answer or ())
    limits = limits_of(30.0, cpu_s, memory_mib)
    if artifacts:
        make_folder(artifacts)
    policies = policies_of(approve, rules)
    session, source = _program(log, call_id, session, cpu_s=cpu_s, memory_mib=memory_mib)
    refusals: list[ResumeRefusedError] = []
    outcomes: list[Outcome] = []
    interrupts = Interrupts()

    async def go(stdout: TextIO) -> Result | None:
        async with (
            collect(tools or (), mcp or ()) as found,
            ToolRuntime(
                found,
                mode="code",
                log=log,
                journal="full",
                journal_file=file,
                limits=limits,
                policies=policies,
                approval=channel_of(approve, source),
                isolation=required(isolation),
            ) as runtime,
            interrupts.taken(),
        ):
            warn_of_rules(policies, found)
            # Caught in here: past the connections to servers it would come in a group.
            try:
                return await runtime.resume(
                    call_id,
                    session=session,
                    answers=answers,
                    repeat=repeat or (),
                    on_output=output_to(stdout) if stream_json else None,
                    on_outcome=outcomes.append,
                    signal=interrupts.end,
                )
            except ResumeRefusedError as refusal:
                refusals.append(refusal)
                return None

    with spared(is_spared=as_json or stream_json) as stdout:
        result = anyio.run(go, stdout)
    if result is None:
        _explain(refusals[0], as_json=as_json, as_stream=stream_json)
        raise typer.Exit(USAGE)
    is_written = not artifacts or write_artifacts(
        artifacts, outcomes, _inputs(file, session, call_id)
    )
    print_result(result, as_json=as_json, as_stream=stream_json)
    is_fine = is_written and not result.is_error
    raise typer.Exit(interrupts.status or (OK if is_fine else FAILED))


def _program(
    log: Path, call_id: str, session: str | None, *, cpu_s: int, memory_mib: int
) -> tuple[str, str]:
    """The session of the run, and its program, whose lines are shown to who is asked.

    It has the limits that it began with.
    """
    try:
        with opened(log) as store:
            found, events = find_run(store, call_id, session)
        start = events["tool/code-run-start"]
        source = program_of(start)
    except UnusableRecordError as error:
        refuse(f"{error}; codemode audit show {log} has their ids")
    limits: Any = start.data["limits"]
    if limits["cpu_s"] > cpu_s or limits["memory_bytes"] > memory_mib << 20:
        mib = -(-limits["memory_bytes"] >> 20)
        refuse(f"the run has more to use: give --cpu-s {limits['cpu_s']} --memory-mib {mib}")
    return found, source


def _inputs(journal: Path, session: str, call_id: str) -> dict[str, bytes]:
    """The input files of the run: those that are as they were are no work of the program."""
    store = SqliteJournal(journal, read_only=True)
    try:
        run = store.run(session, call_id)
        entries = () if run is None else store.entries(run)
        return dict(file_of(entry) for entry in entries if entry.kind == "file")
    finally:
        store.close()


def _answers(texts: Iterable[str]) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for text in texts:
        number, _, value = text.partition("=")
        try:
            call, answer = int(number), json.loads(value)
        except ValueError:
            refuse(f"--answer {text}: not N=JSON, such as '3=\"done\"', with its quotes")
        if call in found:
            refuse(f"--answer {text}: call {call} has an answer already")
        found[call] = answer
    return found


def _explain(refusal: ResumeRefusedError, *, as_json: bool, as_stream: bool) -> None:
    said = _question(refusal.unknown) if refusal.unknown else str(refusal)
    shown = {"refused": said, "unknown": list(map(_shown, refusal.unknown))}
    if as_stream:
        print_json_line({"type": "refused", **shown})
    elif as_json:
        print_json(shown)
    else:
        complain(said)


def _question(unknown: Collection[BegunCall]) -> str:
    lines = ["these calls may have changed something, and their answers are not in the journal:"]
    lines += [
        f"  {one.number}: line {one.line}, {printable(one.name)} {json.dumps(one.arguments)}"
        for one in unknown
    ]
    lines.append("find out, then say of each: --answer N=JSON (it happened) or --repeat N")
    return "\n".join(lines)


def _shown(call: BegunCall) -> dict[str, Any]:
    return {
        "number": call.number,
        "name": call.name,
        "arguments": call.arguments,
        "line": call.line,
        "outcome": call.outcome,
    }
