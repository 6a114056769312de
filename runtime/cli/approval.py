"""Who answers for side effects on the command line: nobody, the operator, or a flag.

A tool of an MCP server that does not say that it only reads needs an answer; the operator's own
Python tools do not, since naming them was the answer. Without a terminal nobody can be asked, and
the answer is no.
"""

from __future__ import annotations

import os
import sys
import termios
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import anyio

from codemode.runtime.approval import (
    ApprovalChannel,
    ApprovalOutcome,
    ApprovalRequest,
    RememberingChannel,
)
from codemode.runtime.cli.output import printable
from codemode.runtime.cli.policy import read_rules
from codemode.runtime.execution import Execution
from codemode.runtime.policy import Allow, Ask, PrePolicy

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


def policies_of(approve: Approve, rules: Path | None) -> list[PrePolicy]:
    """Who decides about the calls of programs: `--rules`, and `--approve` where they ask."""
    policies: list[PrePolicy] = [ask_before_effects]
    if rules is not None:
        policies.append(read_rules(rules))
    if approve is Approve.all:
        policies.append(allow_effects)
    return policies


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
        self._program = program

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
        where = ""
        if (source := request.line_of(self._program)) is not None:
            # A guest that was taken over may name another line than the one that calls.
            where = f"\n  line {request.line}, as the program says: {printable(source)}"
        return (
            f"\n{printable(request.reason)}{where}\n"
            f"  {printable(request.tool_name)} {request.arguments_text()}\n"
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
