"""What one nested call costs through the whole pipeline, step by step, beside a bare round trip.

    python -m benchmarks.nested_call [--calls N] [--rounds N] [--json]

Rows: a bare msgpack round trip over a socketpair between two processes; the sandbox alone; the pipeline
without and with a log; with three policies and two guards. All in one run, so that ratios hold
on a noisy machine. Microseconds a call at the median of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import msgpack

from codemode import Limits, Sandbox, ToolRuntime, tool

LIMITS = Limits(calls=1_000_000, wall_s=600, cpu_s=600)
PROGRAM = "for i in range({calls}):\n    tools.search(query='q', limit=3)\n"
VALUE = {"items": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}], "total": 2}


@tool(effects={"read"})
async def search(query: str, limit: int = 10) -> dict[str, Any]:
    """Search."""
    return VALUE


def bare(calls: int) -> float:
    """Seconds for `calls` round trips of a call-sized message between two processes."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        reply = msgpack.packb({"t": "reply", "id": 1, "value": VALUE})
        while data := theirs.recv(65536):
            msgpack.unpackb(data)
            theirs.sendall(reply)
        os._exit(0)
    theirs.close()
    request = msgpack.packb(
        {"t": "call", "id": 1, "name": "tools.search", "arguments": {"query": "q", "limit": 3}}
    )
    begun = time.perf_counter()
    for _ in range(calls):
        ours.sendall(request)
        msgpack.unpackb(ours.recv(65536))
    elapsed = time.perf_counter() - begun
    ours.close()
    os.waitpid(pid, 0)
    return elapsed


async def timed(run: Callable[[str], Awaitable[Any]], calls: int) -> float:
    """Seconds for a program of `calls` calls, without what an empty one takes."""

    async def once(n: int) -> float:
        begun = time.perf_counter()
        await run(PROGRAM.format(calls=n))
        return time.perf_counter() - begun

    base = min([await once(0) for _ in range(3)])
    return await once(calls) - base


async def measure(calls: int, rounds: int) -> dict[str, float]:
    """Microseconds a call by row."""
    nothing = lambda execution: None  # noqa: E731
    rows: dict[str, list[float]] = {}

    async def sandbox_run(code: str) -> None:
        outcome = await sandbox.run(code, bindings={"tools.search": plain})
        assert outcome.failure is None, outcome.failure

    async def plain(query: str, limit: int) -> Any:
        return VALUE

    def runner(runtime: ToolRuntime) -> Callable[[str], Awaitable[Any]]:
        async def run(code: str) -> None:
            result = await runtime.run_code(code)
            assert not result.is_error, result.text

        return run

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
                    ("bare round trip", bare(calls)),
                    ("sandbox", await timed(sandbox_run, calls)),
                    ("pipeline", await timed(runner(pipeline), calls)),
                    ("pipeline, log", await timed(runner(logged), calls)),
                    ("pipeline, log, 3 policies, 2 guards", await timed(runner(guarded), calls)),
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
