"""What `codemode bench` measures: the engine on this machine, beside what it is built on.

Everything is measured in one go, so that ratios hold on a noisy machine. Only public doors are
used, at the defaults that a host gets, but for limits that would end a long measurement.
"""

from __future__ import annotations

import os
import platform
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final

import anyio

from codemode.runtime.cli.yardsticks import (
    ANSWER,
    bare_round_trips,
    pack_and_unpack,
    plain_python,
)
from codemode.runtime.facade import ToolRuntime
from codemode.runtime.function_tool import tool
from codemode.sandbox.facade import Sandbox
from codemode.sandbox.isolation import Required
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Outcome

#: Says which part is being measured now.
Progress = Callable[[str], None]

TRIVIAL: Final = "print(1 + 1)"
BIG_CHARS: Final = 10_000_000
#: Lets the fork server replace and warm up the spare that was used.
PAUSE_S: Final = 0.02
_ROUNDS: Final = 3
_CALLS_PER_RUN: Final = 10
LIMITS: Final = Limits(calls=1_000_000, wall_s=600, cpu_s=600)
_CALLS: Final = "for i in range({calls}):\n    tools.search(query='q', limit=3)\n"
_CPU_BOUND: Final = """
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

def primes(most):
    sieve = [True] * most
    for n in range(2, most):
        if sieve[n]:
            for multiple in range(n * n, most, n):
                sieve[multiple] = False
    return sum(sieve)

words = {}
for n in range(100_000):
    word = str(n % 1000)
    words[word] = words.get(word, 0) + 1
print(fibonacci(24), primes(400_000), len(words))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """All figures of one go. Times are wall clock, at the median unless they say otherwise.

    Attributes:
        cold_ms: From nothing to the first result, the isolation's self-test included.
        warm_ms: A trivial program, one right after another.
        paused_ms: The same with a pause of `PAUSE_S` before each.
        runs_per_s: Trivial programs, two at a time for each processor.
        bare_us: A call-sized message and its answer, in msgpack over a socket.
        sandbox_call_us: A nested call without a pipeline.
        pipeline_call_us: Through the pipeline.
        logged_call_us: Through the pipeline, with the log on.
        cpu_ms: A program that only computes, at its best.
        plain_cpu_ms: The same in plain CPython.
        big_in_ms: A string of `BIG_CHARS` from a tool to a program.
        big_out_ms: From a program to a tool.
        bare_big_ms: Packing and unpacking it.
    """

    isolation: str
    python: str
    machine: str
    processors: int
    load: float
    runs: int
    cold_ms: float
    warm_ms: float
    warm_best_ms: float
    paused_ms: float
    paused_best_ms: float
    runs_per_s: float
    bare_us: float
    sandbox_call_us: float
    pipeline_call_us: float
    logged_call_us: float
    cpu_ms: float
    plain_cpu_ms: float
    big_in_ms: float
    big_out_ms: float
    bare_big_ms: float


@tool(effects={"read"})
async def search(query: str, limit: int = 10) -> dict[str, Any]:
    """Search."""
    return ANSWER


async def measure(runs: int, isolation: Required, progress: Progress) -> Measured:
    """Measure everything.

    Args:
        runs: Trivial programs of each kind; all other repetitions follow from it.

    Raises:
        SandboxUnavailableError: The isolation cannot be had.
    """
    progress("cold start")
    begun = time.perf_counter()
    async with Sandbox(limits=LIMITS, isolation=isolation) as sandbox:
        await _run(sandbox, TRIVIAL)
        cold_s = time.perf_counter() - begun
        progress("warm start")
        warm = [await _run(sandbox, TRIVIAL) for _ in range(runs)]
        paused = [await _paused(sandbox) for _ in range(runs)]
        progress("throughput")
        runs_per_s = await _throughput(sandbox, 2 * runs)
        progress("a program that only computes")
        cpu_s = min([await _run(sandbox, _CPU_BOUND) for _ in range(_ROUNDS)])
        cpu_s -= statistics.median(warm)
        plain_cpu_s = min([plain_python(_CPU_BOUND) for _ in range(_ROUNDS)])
        progress("a string of 10 MB")
        empty_s = statistics.median(warm)
        big_in_s = await _best_of(sandbox, "text = big()", empty_s)
        big_out_s = await _best_of(sandbox, f"sink(text='x' * {BIG_CHARS})", empty_s)
        progress("nested calls")
        calls = await _nested_calls(sandbox, isolation, _CALLS_PER_RUN * runs)
        level = sandbox.isolation.level
    return Measured(
        isolation=level,
        python=platform.python_version(),
        machine=f"{platform.system()} {platform.machine()}",
        processors=len(os.sched_getaffinity(0)),
        load=round(os.getloadavg()[0], 2),
        runs=runs,
        cold_ms=_ms(cold_s),
        warm_ms=_ms(statistics.median(warm)),
        warm_best_ms=_ms(min(warm)),
        paused_ms=_ms(statistics.median(paused)),
        paused_best_ms=_ms(min(paused)),
        runs_per_s=round(runs_per_s, 1),
        cpu_ms=_ms(cpu_s),
        plain_cpu_ms=_ms(plain_cpu_s),
        big_in_ms=_ms(big_in_s),
        big_out_ms=_ms(big_out_s),
        bare_big_ms=_ms(min(pack_and_unpack("x" * BIG_CHARS) for _ in range(_ROUNDS))),
        **calls,
    )


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 3)


async def _answer(query: str, limit: int) -> Any:
    return ANSWER


async def _big() -> str:
    return "x" * BIG_CHARS


async def _sink(text: str) -> None:
    """Take it."""


_BINDINGS: Final[Mapping[str, Callable[..., Any]]] = {
    "tools.search": _answer,
    "big": _big,
    "sink": _sink,
}


async def _run(sandbox: Sandbox, code: str) -> float:
    """Seconds of one run; a program that fails has no time."""
    begun = time.perf_counter()
    outcome = await sandbox.run(code, bindings=_BINDINGS)
    elapsed = time.perf_counter() - begun
    _expect(outcome)
    return elapsed


def _expect(outcome: Outcome) -> None:
    if outcome.failure is not None:
        raise RuntimeError(f"a measured program failed: {outcome.failure.message}")


async def _paused(sandbox: Sandbox) -> float:
    await anyio.sleep(PAUSE_S)
    return await _run(sandbox, TRIVIAL)


async def _best_of(sandbox: Sandbox, code: str, empty_s: float) -> float:
    return min([await _run(sandbox, code) for _ in range(_ROUNDS)]) - empty_s


async def _throughput(sandbox: Sandbox, runs: int) -> float:
    workers = 2 * len(os.sched_getaffinity(0))
    each = -(-runs // workers)

    async def work() -> None:
        for _ in range(each):
            await _run(sandbox, TRIVIAL)

    begun = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for _ in range(workers):
            tasks.start_soon(work)
    return workers * each / (time.perf_counter() - begun)


async def _nested_calls(sandbox: Sandbox, isolation: Required, calls: int) -> dict[str, float]:
    """Microseconds a call by kind, each kind once a round."""

    async def bare_sandbox(code: str) -> None:
        await _run(sandbox, code)

    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        runtimes = [
            await stack.enter_async_context(
                ToolRuntime([search], mode="code", limits=LIMITS, isolation=isolation, log=log)
            )
            for log in (None, f"{folder}/log.sqlite")
        ]
        kinds = {
            "sandbox_call_us": bare_sandbox,
            "pipeline_call_us": runner(runtimes[0]),
            "logged_call_us": runner(runtimes[1]),
        }
        found: dict[str, list[float]] = {name: [] for name in ("bare_us", *kinds)}
        for _ in range(_ROUNDS):
            # Longer, for it hangs on where the kernel puts the two processes.
            found["bare_us"].append(bare_round_trips(5 * calls) / 5)
            for name, run in kinds.items():
                found[name].append(await seconds_of_calls(run, calls))
    return {
        name: round(statistics.median(seconds) / calls * 1e6, 1) for name, seconds in found.items()
    }


def runner(runtime: ToolRuntime) -> Callable[[str], Awaitable[None]]:
    """Runs a program that must not fail."""

    async def run(code: str) -> None:
        result = await runtime.run_code(code)
        if result.is_error:
            raise RuntimeError(f"a measured program failed: {result.text}")

    return run


async def seconds_of_calls(run: Callable[[str], Awaitable[None]], calls: int) -> float:
    """Seconds that so many calls of `tools.search` take, without what an empty program takes."""

    async def once(count: int) -> float:
        begun = time.perf_counter()
        await run(_CALLS.format(calls=count))
        return time.perf_counter() - begun

    empty_s = min([await once(0) for _ in range(3)])
    return max(await once(calls) - empty_s, 0.0)
