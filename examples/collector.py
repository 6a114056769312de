"""Observers: a bill of what really counts, by the ready-made provisional collector.

    python -m examples.collector

A nested success is provisional until its parent's result is known. The collector holds nested
outcomes and releases them when the program succeeds; when it fails they are discarded. An observer
sees the frozen result and changes nothing; one that throws is logged and contained.
"""

from __future__ import annotations

import anyio

from codemode import ToolRuntime, tool
from codemode.runtime.execution import Execution
from codemode.runtime.provisional import ProvisionalCollector
from codemode.runtime.result import Result


@tool(effects={"read"})
async def translate(text: str) -> str:
    """Translate a text.

    Args:
        text: In English.
    """
    return text.upper()


class Bill:
    """Counts characters of translations whose program succeeded."""

    def __init__(self) -> None:
        self.charged = 0
        self.waived = 0

    def charge(self, execution: Execution, result: Result) -> None:
        """A call whose whole line of parents has succeeded."""
        if execution.name == "translate":
            self.charged += len(str(result.value))

    def waive(self, execution: Execution, result: Result) -> None:
        """A nested call whose parent has failed."""
        if execution.name == "translate" and not result.is_error:
            self.waived += len(str(result.value))


async def main() -> None:
    """One program that succeeds, one that fails after its call."""
    bill = Bill()
    collector = ProvisionalCollector(bill.charge, bill.waive)
    async with ToolRuntime([translate], mode="code", observers=[collector]) as runtime:
        print((await runtime.run_code("print(tools.translate(text='hello'))")).text)
        failed = await runtime.run_code("tools.translate(text='good morning')\n1 / 0")
        print(failed.text.splitlines()[0])
    print(f"charged {bill.charged} characters, waived {bill.waived}")


if __name__ == "__main__":
    anyio.run(main)
