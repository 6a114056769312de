"""Around wrappers: a cache of the host's own, and the ready-made retry.

    python -m examples.wrapper

A wrapper runs the body by `call_next`, or skips it. What it returns instead passes the same doors
as a body's value: the cached outcome is validated and rendered again for the call at hand. It
cannot take the caller's cancellation away from the body.
"""

from __future__ import annotations

from collections import Counter

import anyio

from codemode import ToolRuntime, tool
from codemode.runtime.clock import SystemClock
from codemode.runtime.errors import ToolError
from codemode.runtime.jsontext import compact
from codemode.runtime.policy import Around, BodyOutcome, CallNext
from codemode.runtime.wrappers import retry_wrapper
from codemode.sandbox.values import thaw

bodies: Counter[str] = Counter()


@tool(effects={"read"})
async def exchange_rate(currency: str) -> float:
    """How many euros one unit of a currency costs.

    Args:
        currency: Three letters, such as USD.
    """
    bodies["exchange_rate"] += 1
    return {"USD": 0.92, "GBP": 1.17}[currency]


@tool(effects={"read", "network"}, idempotent=True)
async def headline() -> str:
    """The newest headline; the service fails now and then."""
    bodies["headline"] += 1
    if bodies["headline"] < 3:
        raise ToolError("the news service is busy")
    return "Engine runs program"


class Cache:
    """Answers repeated calls of read-only tools from memory. Failures are never kept."""

    name = "cache"

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], BodyOutcome] = {}

    async def __call__(self, around: Around, call_next: CallNext) -> BodyOutcome:
        """Return what is kept, or run the body and keep it."""
        tool = around.execution.tool
        if tool is None or not tool.is_read_only:
            return await call_next()
        key = (tool.name, compact(thaw(dict(around.execution.arguments))))
        if key not in self._kept:
            outcome = await call_next()
            if outcome.is_error:
                return outcome
            self._kept[key] = outcome
        return self._kept[key]


PROGRAM = """
print([tools.exchange_rate(currency=c) for c in ("USD", "GBP", "USD", "USD")])
print(tools.headline())
"""


async def main() -> None:
    """Four calls of the one tool, one of the other; the bodies see fewer, and more."""
    bodies.clear()
    retry = retry_wrapper(SystemClock(), attempts=3, first_wait_s=0.01)
    async with ToolRuntime(
        [exchange_rate, headline], mode="code", wrappers=[Cache(), retry]
    ) as runtime:
        print((await runtime.run_code(PROGRAM)).text)
    print(f"bodies run: {dict(bodies)}")


if __name__ == "__main__":
    anyio.run(main)
