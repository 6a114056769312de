"""What the tests of the agent loop share: gates that tests open, and scripted models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import anyio

from codemode.runtime.definition import Tool
from codemode.runtime.execution import RunContext
from codemode.runtime.loop import AssistantMessage, ScriptedModel, ToolCall
from codemode.runtime.loop.model import Turnout

OPEN: dict[str, Any] = {"type": "object"}


class Gated:
    """A tool whose bodies wait until the test lets them go; says who has begun and ended."""

    def __init__(self, name: str = "gated", **options: Any) -> None:
        self.gates: dict[str, anyio.Event] = {}
        self.begun: list[str] = []
        self.ended: list[str] = []
        self._arrived = anyio.Event()
        options.setdefault("is_concurrency_safe", True)
        options.setdefault("effects", {"read"})  # else each call waits for the log's own thread
        self.tool = Tool.raw(name, "Wait for the test.", OPEN, self._body, **options)

    async def _body(self, arguments: Any, run: RunContext) -> str:
        who = str(arguments["who"])
        self.begun.append(who)
        arrived, self._arrived = self._arrived, anyio.Event()
        arrived.set()
        run.defer_context(f"context of {who}")
        await self.gate(who).wait()
        self.ended.append(who)
        return who

    async def wait_begun(self, number: int) -> None:
        """Return when that many bodies have begun."""
        while len(self.begun) < number:
            await self._arrived.wait()

    def gate(self, who: str) -> anyio.Event:
        """What the body of `who` waits for."""
        return self.gates.setdefault(who, anyio.Event())

    def open(self, *names: str) -> None:
        """Let bodies go."""
        for who in names:
            self.gate(who).set()


def scripted(*steps: Turnout | Iterable[ToolCall]) -> ScriptedModel:
    """A model whose steps may be plain lists of calls; it ends with the answer "done"."""
    script: list[Turnout] = [
        step
        if isinstance(step, AssistantMessage) or callable(step)
        else AssistantMessage.of("", *step)
        for step in steps
    ]
    return ScriptedModel([*script, AssistantMessage.of("done")])
