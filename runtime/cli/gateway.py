"""`codemode gateway`: one MCP server in front of others, whose clients write programs.

Stdout is the protocol's alone, from before the first tool module is imported; all else goes to
stderr. Whom to ask is the person behind the client; where the client cannot ask, the answer is no.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Annotated, Any, Final, cast

import anyio
import typer

from codemode.runtime.approval import RememberingChannel
from codemode.runtime.cli.approval import Approve, policies_of
from codemode.runtime.cli.interrupts import received
from codemode.runtime.cli.options import (
    CpuS,
    Isolation,
    Journal,
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
from codemode.runtime.cli.output import OK, complain, refuse
from codemode.runtime.cli.policy import warn_of_rules
from codemode.runtime.cli.sources import collect
from codemode.runtime.cli.stdio import Wire, claimed
from codemode.runtime.facade import ToolRuntime
from codemode.runtime.hosts.asking import ClientChannel
from codemode.runtime.hosts.gateway import require_sdk, serve

_TERMINATED: Final = 128 + signal.SIGTERM


class ServedMode(StrEnum):
    """What `--mode` takes."""

    code = "code"
    both = "both"


def command(
    mcp: Mcp = None,
    tools: Tools = None,
    mode: Annotated[
        ServedMode,
        typer.Option(
            help="code: clients get run_code alone; both: they may call each tool directly too."
        ),
    ] = ServedMode.code,
    log: Log = None,
    journal: Journal = None,
    approve: Annotated[
        Approve,
        typer.Option(
            help="Who answers for MCP tools that are not read-only, and for --rules: the client's"
            " user, if the client can ask."
        ),
    ] = Approve.ask,
    rules: Rules = None,
    name: Annotated[str, typer.Option(help="What the server calls itself.")] = "codemode",
    isolation: LeastIsolation = Isolation.B,
    wall_s: WallS = 30.0,
    cpu_s: CpuS = 10,
    memory_mib: MemoryMib = 256,
) -> None:
    """Serve the tools of MCP servers and Python modules to an MCP client, on stdin and stdout.

    The client's model writes programs: run_code is a tool whose description is the SDK of all
    others. Before a tool runs that does not say that it only reads, the client's user is asked,
    unless --rules decide; a client that cannot ask is refused. Each call is a session in the log.

    Ends when stdin does, with exit status 0; 2 when it could not start.

    codemode gateway --mcp "git=mcp-server-git --repository ." --log gateway.sqlite
    """
    if not (mcp or tools):
        refuse("name some tools: --mcp COMMAND or --tools MODULE:NAME")
    refuse_lone_journal(journal, log)
    limits = limits_of(wall_s, cpu_s, memory_mib)
    policies = policies_of(approve, rules)
    if None in (sys.stdin, sys.stdout, sys.stderr):
        refuse("stdin and stdout are the wire, stderr is for what tools print: one is closed")
    require_sdk()

    async def go(wire: Wire) -> None:
        from mcp.server.stdio import stdio_server

        async with (
            collect(tools or (), mcp or ()) as found,
            ToolRuntime(
                found,
                mode=mode.value,
                log=log,
                journal="off" if journal is None else "full",
                journal_file=journal,
                limits=limits,
                policies=policies,
                approval=RememberingChannel(ClientChannel()) if approve is Approve.ask else None,
                isolation=required(isolation),
            ) as runtime,
            # The SDK's transport reads and writes lines; ours can be cancelled while it waits.
            stdio_server(cast("Any", wire), cast("Any", wire)) as (read, write),
        ):
            warn_of_rules(policies, found)
            count = f"{len(found)} tool{'' if len(found) == 1 else 's'}"
            complain(f"serving {count}; isolation level {runtime.isolation.level}")
            await serve(runtime, read, write, name=name)

    with claimed() as (reading, writing):
        was_terminated = anyio.run(_unless_terminated, lambda: go(Wire(reading, writing)))
    raise typer.Exit(_TERMINATED if was_terminated else OK)


async def _unless_terminated(serving: Callable[[], Awaitable[None]]) -> bool:
    """Serve; SIGTERM ends it in good order, as a client's next means after closing stdin."""
    with anyio.CancelScope() as scope:
        async with received(lambda _: scope.cancel(), signal.SIGTERM):
            await serving()
    return scope.cancel_called
