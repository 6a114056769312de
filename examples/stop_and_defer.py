"""Putting a call aside and taking it up later; and stopping a turn.

    python -m examples.stop_and_defer

A deferral has not run: the program gets `DEFERRED`, the log a `tool/deferred` event with a handle,
and the host may take the handle up once. The call then meets policies, approval and guards again,
as a new call with a session of its own. A stop ends the program at once, with its ledger.
"""

from __future__ import annotations

import anyio

from codemode import ToolRuntime, tool
from codemode.runtime.errors import MisuseError
from codemode.runtime.execution import Execution
from codemode.runtime.log import read_events
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.policy import Defer, Stop


@tool(effects={"write", "external"})
async def send(to: str, text: str) -> str:
    """Send a message.

    Args:
        to: Who gets it.
        text: What it says.
    """
    return f"sent to {to}: {text}"


class OfficeHours:
    """Messages wait while the office is closed; a message to everybody ends the turn."""

    name = "office hours"

    def __init__(self) -> None:
        self.is_open = False

    def __call__(self, execution: Execution) -> Defer | Stop | None:
        """Judge one call."""
        if execution.name != "send":
            return None
        if execution.arguments["to"] == "everybody":
            return Stop("nobody writes to everybody")
        return None if self.is_open else Defer("the office opens at nine")


PROGRAM = """
for name in ["ada", "everybody", "bob"]:
    try:
        tools.send(to=name, text="the build is green")
    except ToolCallError as error:
        print(error.code)
"""


async def main() -> None:
    """Run at night; in the morning, take up what waits."""
    log = MemoryStore()
    hours = OfficeHours()
    async with ToolRuntime([send], mode="code", log=log, policies=[hours]) as runtime:
        result = await runtime.run_code(PROGRAM)
        print(result.text, end="\n\n")

        (session,) = log.sessions()
        waiting = [e.data for e in read_events(log, session) if e.type == "tool/deferred"]
        print("in the morning:")
        for data in waiting:
            handle = str(data["handle"])
            taken = await runtime.resume_deferred(handle)
            print(f"  {data['reason']} -> {taken.text}")
            try:
                await runtime.resume_deferred(handle)
            except MisuseError as error:
                print(f"  a second time: {error}")


if __name__ == "__main__":
    anyio.run(main)
