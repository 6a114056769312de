"""A host of several lives, whose programs are interrupted: for the tests of resumption."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import anyio
from replaying import Case

from codemode import Limits, ToolRuntime, tool
from codemode.runtime.audit.interruption import Interruption
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import RunContext
from codemode.runtime.log.journal import JournalRun
from codemode.runtime.result import Result

#: The folder of what a killed process leaves.
AFTER = "after"


def a_record(**changes: Any) -> Interruption:
    """The record of a run that had done nothing, but for `changes`."""
    run = JournalRun(
        session="s",
        call_id="c",
        mode="full",
        began=0.0,
        program_sha256="",
        sdk_sha256="",
        grants_sha256="",
        seed=1,
        clock=0.0,
    )
    given: dict[str, Any] = {
        "run": run,
        "source": "",
        "limits": Limits(),
        "files": {},
        "grants": {},
        "submissions": {},
        "submitted": frozenset[int](),
        "deliveries": (),
        "answered": (),
        "unanswered": (),
        "unlogged": (),
        "head": "0" * 64,
        **changes,
    }
    return Interruption(**given)


class Host:
    """A host of several lives: its tools, and what they have done."""

    def __init__(self, folder: Path) -> None:
        self.case = Case(folder)
        self.done: list[str] = []
        self.seen: list[str] = []
        self.stop: CancelSource | None = None
        #: The how many-th look at `stop` ends the life, of all lives.
        self.stop_at = 1
        self.options: dict[str, Any] = {"journal": "full"}

    def tools(self) -> list[Any]:
        """The same in each life."""

        @tool(effects={"write"})
        async def write(text: str) -> str:
            """Do something that must not be done twice."""
            self.done.append(text)
            if text == "fail":
                raise ToolError("it must not")
            return f"wrote {text}"

        @tool(effects={"write"})
        async def stuck(text: str) -> str:
            """Do something, and die before anybody hears of it."""
            self.done.append(text)
            await self._interrupted()
            return f"stuck {text}"

        @tool(effects={"read"}, concurrency_safe=True)
        async def look(name: str) -> dict[str, Any]:
            """Look; the life ends at the name `stop`."""
            self.seen.append(name)
            if name == "stop" and self.seen.count(name) == self.stop_at:
                await self._interrupted()
            return {"name": name, "b": 1, "a": [None, 1.5]}

        @tool(effects={"write"})
        async def die() -> None:
            """Leave behind, under `AFTER`, what a process that is killed here leaves."""
            self._leave()

        @tool(effects={"write"})
        async def publish(text: str, run: RunContext) -> str:
            """Do something, leave a message for the model, and conclude the turn."""
            self.done.append(text)
            run.defer_context(f"{text} is out")
            run.conclude_turn()
            return f"published {text}"

        return [write, stuck, look, die, publish]

    def _leave(self) -> None:
        folder = self.case.log.parent / AFTER
        folder.mkdir(exist_ok=True)
        left = Case(folder)
        for here, there in ((self.case.log, left.log), (self.case.journal, left.journal)):
            with closing(sqlite3.connect(here)) as old, closing(sqlite3.connect(there)) as new:
                old.backup(new)

    async def _interrupted(self) -> None:
        if self.stop is not None:
            self.stop.cancel("the host stops")
            await anyio.sleep_forever()

    @asynccontextmanager
    async def life(self, **options: Any) -> AsyncGenerator[ToolRuntime]:
        """One life."""
        with anyio.fail_after(30):
            async with ToolRuntime(
                self.tools(), mode="code", log=self.case.log, **{**self.options, **options}
            ) as runtime:
                yield runtime

    async def interrupted(self, code: str, **given: Any) -> str:
        """Run a program that a signal ends; gives the id of its call."""
        self.stop = CancelSource()
        async with self.life() as runtime:
            result = await runtime.run_code(code, signal=self.stop.signal, **given)
        self.stop = None
        assert result.is_error, result.text
        return result.call_id

    async def killed(self, code: str, **given: Any) -> str:
        """Run a program that calls `die`, and go to where it left everything; gives its call."""
        async with self.life() as runtime:
            result = await runtime.run_code(code, **given)
        self.case = Case(self.case.log.parent / AFTER)
        return result.call_id

    async def resumed(self, call_id: str, **given: Any) -> Result:
        """Go on with it in another life."""
        async with self.life() as runtime:
            return await runtime.resume(call_id, **given)
