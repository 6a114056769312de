"""What one nested call costs through the whole pipeline, step by step, beside a bare round trip.

    python -m benchmarks.nested_call [--calls N] [--rounds N] [--json]

Rows: a bare msgpack round trip over a socketpair between two processes; the sandbox alone; the pipeline
without and with a log; with three policies and two guards. All in one run, so that ratios hold
on a noisy machine. Microseconds a call at the median of the rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from typing import Any

import anyio

from codemode import Sandbox, ToolRuntime
from codemode.runtime.cli.measures import LIMITS, runner, search, seconds_of_calls
from codemode.runtime.cli.yardsticks import ANSWER, bare_round_trips


async def measure(calls: int, rounds: int) -> dict[str, float]:
    """Microseconds a call by row."""
    nothing = lambda execution: None  # noqa: E731
    rows: dict[str, list[float]] = {}

    async def sandbox_run(code: str) -> None:
        outcome = await sandbox.run(code, bindings={"tools.search": plain})
        assert outcome.failure is None, outcome.failure

    async def plain(query: str, limit: int) -> Any:
        return ANSWER

    with tempfile.TemporaryDirectory() as folder:
        async with (
            Sandbox(limits=LIMITS) as sandbox,
            ToolRuntime([search], mode="code", limits=LIMITS) as pipeline,
            ToolRuntime([search], mode="code", limits=LIMITS, log=f"{folder}/a.sqlite") as logged,
            ToolRuntime(
                [search],
                mode="code",
                limits=LIMITS,
                log=f"{folder}/b.sqlite",
                policies=[nothing] * 3,
                guards=[nothing] * 2,
            ) as guarded,
        ):
            for _ in range(rounds):
                for name, seconds in (
                    ("bare round trip", bare_round_trips(calls)),
                    ("sandbox", await seconds_of_calls(sandbox_run, calls)),
                    ("pipeline", await seconds_of_calls(runner(pipeline), calls)),
                    ("pipeline, log", await seconds_of_calls(runner(logged), calls)),
                    (
                        "pipeline, log, 3 policies, 2 guards",
                        await seconds_of_calls(runner(guarded), calls),
                    ),
                ):
                    rows.setdefault(name, []).append(seconds / calls * 1e6)
    return {name: round(statistics.median(found), 1) for name, found in rows.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = anyio.run(measure, options.calls, options.rounds)
    if options.json:
        json.dump(rows, sys.stdout, indent=1)
        return
    base = rows["bare round trip"]
    for name, microseconds in rows.items():
        print(f"{name:<38}{microseconds:>8.1f} us{microseconds / base:>7.1f} x bare")


if __name__ == "__main__":
    main()
