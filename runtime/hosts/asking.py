"""Asking the person behind an MCP client, through the call that the client waits for.

`ClientChannel` is the approval channel of a runtime that a gateway serves. Each call of a client
brings its own way to ask; one whose client cannot be asked, or that came another way, has none, and
the answer is no. What is shown is the request alone, whose arguments were redacted before.

Source: Model Context Protocol, "Elicitation".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from codemode.runtime.approval import ApprovalOutcome, ApprovalRequest
from codemode.sandbox.text import clean

if TYPE_CHECKING:
    from mcp import types

#: The form that the person fills in.
FORM: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "answer": {
            "type": "string",
            "title": "Run it?",
            "enum": ["yes", "no", "always"],
            "description": "always: this tool, until the program has ended",
        },
        "reason": {
            "type": "string",
            "title": "Why not",
            "description": "Told to the model when the answer is no",
        },
    },
    "required": ["answer"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How the person behind one call can be asked.

    Attributes:
        client: What the client calls itself.
        program: The program of the call, "" if it is none: its lines are shown.
        put: Shows a message with `FORM`, and gives what the client sends back.
    """

    client: str
    program: str
    put: Callable[[str], Awaitable[types.ElicitResult]]


#: Of the call that is being served; None where nobody can be asked.
asking: Final[ContextVar[Asking | None]] = ContextVar("asking", default=None)


class ClientChannel:
    """Asks whoever made the call that needs an answer."""

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        """The person's answer; `unavailable` where the client cannot ask."""
        from mcp import MCPError

        way = asking.get()
        if way is None:
            return ApprovalOutcome(
                answer="unavailable", by="client", reason="the client cannot ask its user"
            )
        by = f"client:{clean(way.client[:100])}"
        try:
            said = await way.put(question(request, way.program))
        except MCPError as error:
            reason = f"the client could not ask its user: {clean(str(error)[:200])}"
            return ApprovalOutcome(answer="unavailable", by=by, reason=reason)
        return outcome_of(said, by)


def question(request: ApprovalRequest, program: str) -> str:
    """What the person reads: why, where, and which call."""
    source, where = request.line_of(program), ""
    if source is not None:
        where = f"\nline {request.line}: {clean(source[:200])}"
    return f"{clean(request.reason)}{where}\n{clean(request.tool_name)} {request.arguments_text()}"


def outcome_of(said: types.ElicitResult, by: str) -> ApprovalOutcome:
    """The answer that a client sent; one that does not fit the form is none."""
    content = said.content or {}
    answer = content.get("answer")
    if said.action == "cancel":
        return ApprovalOutcome(answer="cancelled", by=by, reason="the question was dismissed")
    if said.action == "decline" or answer == "no":
        reason = content.get("reason")
        told = clean(reason[:1_000]) if isinstance(reason, str) and reason else "the user said no"
        return ApprovalOutcome(answer="rejected", by=by, reason=told)
    if answer in ("yes", "always"):
        return ApprovalOutcome(answer="allowed", by=by, for_run=answer == "always")
    return ApprovalOutcome(answer="unavailable", by=by, reason="the client's answer fits no form")
