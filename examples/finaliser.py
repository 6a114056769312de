"""A finalizer: the tool's own last word on what the model reads, whatever the outcome was.

    python -m examples.finaliser

It runs exactly once for every outcome, refusals by policy included, and may replace content only.
Programs receive the value, which it cannot touch.
"""

from __future__ import annotations

from typing import Any

import anyio

from codemode import ToolRuntime, tool
from codemode.runtime.definition import Arguments
from codemode.runtime.execution import Execution
from codemode.runtime.policy import BodyOutcome, Deny


def as_model_reads(arguments: Arguments, outcome: BodyOutcome) -> str:
    """A table for a success, advice for a failure."""
    if outcome.is_error:
        return f"Error: {outcome.message}. The region {arguments['region']!r} was not queried."
    rows: Any = outcome.value
    return "\n".join(f"{row['city']:<10}{row['celsius']:>4} C" for row in rows)


@tool(effects={"read"}, finalize_content=as_model_reads)
async def temperatures(region: str) -> list[dict[str, str | int]]:
    """Temperatures now.

    Args:
        region: Such as north.
    """
    return [{"city": "Oslo", "celsius": -3}, {"city": "Malmo", "celsius": 2}]


def no_south(execution: Execution) -> Deny | None:
    """A policy, to have a denial."""
    return Deny("the south is closed") if execution.arguments.get("region") == "south" else None


async def main() -> None:
    """A success and a denial, called directly; then the same success in a program."""
    async with ToolRuntime([temperatures], mode="both", policies=[no_south]) as runtime:
        for region in ("north", "south"):
            result = await runtime.execute("temperatures", {"region": region})
            print(f"{result.text}\n  replaced by: {', '.join(result.replaced_by)}")
        program = "print(tools.temperatures(region='north')[0])"
        print("a program gets:", (await runtime.run_code(program)).text)


if __name__ == "__main__":
    anyio.run(main)
