"""Who answers for side effects on the command line: nobody, the operator, or a flag.

A tool of an MCP server that does not say that it only reads needs an answer; the operator's own
Python tools do not, since naming them was the answer. Without a terminal nobody can be asked, and
the answer is no.
"""

from __future__ import annotations

import json
import os
import sys
import termios
from enum import StrEnum
from typing import Any, Final

import anyio

from codemode.runtime.approval import (
    ApprovalChannel,
    ApprovalOutcome,
    ApprovalRequest,
    RememberingChannel,
)
from codemode.runtime.cli.output import printable
from codemode.runtime.execution import Execution
from codemode.runtime.policy import Allow, Ask
from codemode.sandbox.values import thaw

_SHOWN: Final = 2_000
_YES: Final = frozenset({"y", "yes"})
_ALWAYS: Final = frozenset({"a", "always"})


class Approve(StrEnum):
    """What `--approve` takes."""

    no = "no"
    ask = "ask"
    all = "all"


def ask_before_effects(execution: Execution) -> Ask | None:
    """Ask before a server's tool runs that is not declared read-only."""
    tool = execution.tool
    if tool is None or not tool.is_adapted or tool.is_read_only:
        return None
    return Ask(f"{tool.name} of the MCP server {tool.group!r} may change something", "mcp-effects")


def allow_effects(execution: Execution) -> Allow | None:
    """`--approve all`: the operator has answered in advance."""
    return Allow("approve-all", is_grant=True)


class UnattendedChannel:
    """`--approve no`: nobody is asked; the refusal says who could have been."""

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        """Return `unavailable`."""
        reason = "--approve ask asks at the terminal, --approve all says yes to all"
        return ApprovalOutcome(answer="unavailable", by="nobody", reason=reason)


def channel_of(approve: Approve, program: str) -> ApprovalChannel:
    """Who is asked about the calls of a program at the command line.

    Args:
        program: Its lines are shown beside the call.
    """
    if approve is Approve.no:
        return UnattendedChannel()
    return RememberingChannel(TerminalChannel(program))


class TerminalChannel:
    """Shows the call and asks at the terminal: y, n, or a for this tool until the program ends.

    Args:
        program: Its lines are shown beside the call.
    """

    def __init__(self, program: str) -> None:
        self._lines = program.splitlines()

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        """Return the operator's answer; without a terminal, `unavailable`."""
        streams: tuple[Any, ...] = (sys.stdin, sys.stderr)
        if None in streams or not all(stream.isatty() for stream in streams):
            return ApprovalOutcome(
                answer="unavailable", by="terminal", reason="there is no terminal to ask at"
            )
        terminal = sys.stdin.fileno()
        termios.tcflush(terminal, termios.TCIFLUSH)  # typed before the question is no answer to it
        sys.stderr.write(self._question(request))
        sys.stderr.flush()
        reply = await _line(terminal)
        answer = reply.strip().lower()
        if answer in _YES or answer in _ALWAYS:
            return ApprovalOutcome(answer="allowed", by="terminal", for_run=answer in _ALWAYS)
        if not reply:
            return ApprovalOutcome(
                answer="cancelled", by="terminal", reason="the terminal was closed"
            )
        return ApprovalOutcome(answer="rejected", by="terminal", reason="the operator said no")

    def _question(self, request: ApprovalRequest) -> str:
        arguments = json.dumps(thaw(dict(request.arguments)), ensure_ascii=True, indent=2)
        if len(arguments) > _SHOWN:
            arguments = f"{arguments[:_SHOWN]}\n... {len(arguments) - _SHOWN} characters more"
        where = ""
        if request.line is not None and 0 < request.line <= len(self._lines):
            source = self._lines[request.line - 1].strip()
            # A guest that was taken over may name another line than the one that calls.
            where = f"\n  line {request.line}, as the program says: {printable(source)}"
        return (
            f"\n{printable(request.reason)}{where}\n  {printable(request.tool_name)} {arguments}\n"
            "Run it? [y]es, [n]o, [a]lways for this tool in this run: "
        )


async def _line(terminal: int) -> str:
    """What is typed up to Enter, or up to the terminal's end.

    Without a thread: one that blocks in a read cannot be cancelled, and would keep the process from
    ending on Ctrl-C.
    """
    typed = b""
    while not typed.endswith(b"\n"):
        await anyio.wait_readable(terminal)
        if not (more := os.read(terminal, 4_096)):
            break
        typed += more
    return typed.decode("utf-8", "replace")
