"""The two native tools of the report: one reads, one has an effect and concludes the turn."""

from __future__ import annotations

from pathlib import PurePosixPath

from codemode import tool
from codemode.runtime.execution import RunContext

PARTS = {
    "runtime": "runtime",
    "sandbox": "sandbox",
    "sdkgen": "sdkgen",
    "tests": "tests",
    "examples": "examples",
    "benchmarks": "benchmarks",
    "docs": "docs",
}


@tool(effects={"read"})
async def parts_of(paths: list[str]) -> list[str]:
    """Name the part of the project that each file belongs to.

    Args:
        paths: File paths relative to the repository's root.
    """
    return [PARTS.get(PurePosixPath(path).parts[0] if path else "", "project") for path in paths]


@tool(effects={"write"})
async def publish_report(title: str, busiest: str, commits: int, run: RunContext) -> str:
    """Publish the report to the team; this concludes the turn.

    Args:
        title: Headline.
        busiest: The part of the project with the most files touched.
        commits: How many commits it covers.
    """
    run.defer_context(f"The team has been told: {title}, {commits} commits, mostly {busiest}.")
    run.conclude_turn()
    return f"published: {title}"


TOOLS = [parts_of, publish_report]
