"""Contexts and the end of the turn, arriving through the parent: the printed order of events.

    python -m examples.contexts

A nested call may add a user message and may conclude the turn. Nothing is injected between a call
and its result: the messages travel on the program's own result and follow it in the log, in the
order in which the program submitted the calls, whatever order they settled in. The conclusion
counts only when the program succeeds.
"""

from __future__ import annotations

from typing import Any

import anyio

from codemode import ToolRuntime, tool
from codemode.runtime.content import plain_text
from codemode.runtime.execution import RunContext
from codemode.runtime.log import Event, read_events
from codemode.runtime.log.stores.memory import MemoryStore


class Kitchen:
    """Two dishes that are served in the reverse order of their orders."""

    def __init__(self) -> None:
        self.second_is_served = anyio.Event()


kitchen = Kitchen()


@tool(effects={"read"})
async def cook(dish: str, run: RunContext) -> str:
    """Cook a dish.

    Args:
        dish: What to cook.
    """
    if dish == "soup":
        await kitchen.second_is_served.wait()
    run.defer_context(f"{dish} was served", source="waiter")
    kitchen.second_is_served.set()
    return dish


@tool(effects={"write"})
async def close_the_bill(run: RunContext) -> str:
    """Close the bill; this concludes the turn."""
    run.defer_context("the guests have left", source="waiter")
    run.conclude_turn()
    return "closed"


PROGRAM = """
import asyncio
await asyncio.gather(tools.cook(dish="soup"), tools.cook(dish="pasta"))
await tools.close_the_bill()
"""


def line(event: Event) -> str:
    """One event of the log, as short as can be."""
    data: Any = event.data
    match event.type:
        case "tool/code-dispatch-start" | "tool/code-dispatch":
            arguments: dict[str, Any] = data.get("arguments", {})
            return f"{event.type:<26} {data['name']} {dict(arguments) or ''}".strip()
        case "tool/result":
            return f"{event.type:<26} concludes the turn: {data['concludes_turn']}"
        case "user/message":
            return f"{event.type:<26} [{data['source']}] {data['content'][0]['text']}"
        case _:
            return event.type


async def main() -> None:
    """Run the program, then print what the log holds."""
    kitchen.second_is_served = anyio.Event()
    log = MemoryStore()
    async with ToolRuntime([cook, close_the_bill], mode="code", log=log) as runtime:
        result = await runtime.run_code(PROGRAM)
    (session,) = log.sessions()
    print("\n".join(line(event) for event in read_events(log, session)))
    print("\nthe result carries:", [plain_text(context.content) for context in result.contexts])


if __name__ == "__main__":
    anyio.run(main)
