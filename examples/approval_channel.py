"""An approval channel: where an `Ask` goes, and what the person is shown.

    python -m examples.approval_channel

A channel is one method. This one stands for a chat or a ticket: it shows the call with its line of
the program and redacted arguments, and takes the answer from a desk. `RememberingChannel` in front
of it applies a yes "for this run" to later calls; each is still asked and decided in the log. A
question that nobody answers in time is cancelled by a channel with a deadline. Time spent waiting
for a person is not charged to the program's wall clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio

from codemode import ToolRuntime, tool
from codemode.runtime.approval import (
    ApprovalChannel,
    ApprovalOutcome,
    ApprovalRequest,
    RememberingChannel,
)
from codemode.runtime.execution import Execution
from codemode.runtime.log import COMMON_SECRETS, Redactor, read_events
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.policy import Ask


@tool(effects={"write"})
async def deploy(service: str, token: str) -> str:
    """Deploy a service.

    Args:
        service: Its name.
        token: The deployment token.
    """
    return f"{service} is live"


def ask_before_deploying(execution: Execution) -> Ask | None:
    """Every deployment is a person's decision."""
    return Ask("a deployment changes production") if execution.name == "deploy" else None


class Desk:
    """A person at a desk, who says yes for the whole run, but never to the database."""

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        """Show the question and take the answer."""
        shown: Mapping[str, Any] = request.arguments
        print(f"  line {request.line}: {request.tool_name} {dict(shown)}: {request.reason}?")
        if shown["service"] == "database":
            return ApprovalOutcome(answer="rejected", by="desk:ada", reason="not during business")
        if shown["service"] == "archive":
            await anyio.sleep_forever()  # nobody at the desk knows what it is
        return ApprovalOutcome(answer="allowed", by="desk:ada", for_run=True)


class Deadline:
    """A channel that gives up waiting for another."""

    def __init__(self, inner: ApprovalChannel, *, deadline_s: float) -> None:
        self._inner = inner
        self._deadline_s = deadline_s

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        """The inner channel's answer, or `cancelled` after the deadline."""
        with anyio.move_on_after(self._deadline_s):
            return await self._inner.ask(request)
        return ApprovalOutcome(answer="cancelled", by="deadline", reason="nobody answered in time")


PROGRAM = """
for service in ["database", "archive", "web", "mail"]:
    try:
        print(tools.deploy(service=service, token="s3cret"))
    except ToolCallError as error:
        print(error.code, "-", error.message)
"""


async def main() -> None:
    """One program, four deployments, three questions to the person."""
    log = MemoryStore()
    async with ToolRuntime(
        [deploy],
        mode="code",
        log=log,
        policies=[ask_before_deploying],
        approval=RememberingChannel(Deadline(Desk(), deadline_s=0.2)),
        redact=Redactor(COMMON_SECRETS),
    ) as runtime:
        print("the person is asked:")
        result = await runtime.run_code(PROGRAM)
    print(f"the model reads:\n{result.text}")
    print("the log says:")
    (session,) = log.sessions()
    for event in read_events(log, session):
        if event.type == "approval/decided":
            remembered = " (remembered)" if event.data["remembered"] else ""
            print(f"  {event.data['outcome']} by {event.data['by']}{remembered}")


if __name__ == "__main__":
    anyio.run(main)
