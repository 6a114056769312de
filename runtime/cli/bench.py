"""`codemode bench`: what the engine costs on this machine, in a quarter of a minute.

Figures of one machine at one time: compare ratios, and the same machine with itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import anyio
import typer

from codemode.runtime.cli.measures import PAUSE_S, Measured, measure
from codemode.runtime.cli.options import Isolation, Json, LeastIsolation, required
from codemode.runtime.cli.output import complain, print_json


def command(
    as_json: Json = False,
    runs: Annotated[
        int, typer.Option(min=1, max=10_000, help="Trivial programs of each kind to measure.")
    ] = 100,
    isolation: LeastIsolation = Isolation.B,
) -> None:
    """Measure cold and warm starts, throughput, nested calls, computing, and a large value.

    Beside the engine's figures stand those of what it is built on, measured in the same go: a bare
    msgpack round trip, and plain CPython. Progress goes to stderr.
    """
    found = anyio.run(measure, runs, required(isolation), _say)
    if as_json:
        print_json(asdict(found))
    else:
        _print(found)


def _say(part: str) -> None:
    complain(f"measuring: {part}")


def _rows(found: Measured) -> Iterator[tuple[str, str, str]]:
    """What, how much, and beside what."""

    def call(what: str, microseconds: float) -> tuple[str, str, str]:
        beside = f"{microseconds / found.bare_us:.1f} x a bare round trip"
        return what, f"{microseconds:.0f} us", beside

    def start(what: str, milliseconds: float, best_ms: float) -> tuple[str, str, str]:
        return what, f"{milliseconds:.2f} ms", f"best {best_ms:.2f} ms"

    def big(what: str, milliseconds: float) -> tuple[str, str, str]:
        return what, f"{milliseconds:.0f} ms", f"{milliseconds / found.bare_big_ms:.1f} x msgpack"

    paused = f"after a pause of {PAUSE_S * 1e3:.0f} ms, p50"
    slower = f"{found.cpu_ms / found.plain_cpu_ms:.2f} x plain CPython"
    yield "cold start to the first result", f"{found.cold_ms:.0f} ms", ""
    yield start("trivial program, warm, p50", found.warm_ms, found.warm_best_ms)
    yield start(paused, found.paused_ms, found.paused_best_ms)
    yield (
        "trivial programs at once",
        f"{found.runs_per_s:.0f} runs/s",
        f"{found.processors} processors",
    )
    yield "bare msgpack round trip", f"{found.bare_us:.0f} us", ""
    yield call("nested call: sandbox alone", found.sandbox_call_us)
    yield call("with the pipeline", found.pipeline_call_us)
    yield call("with the pipeline and the log", found.logged_call_us)
    yield "a program that only computes", f"{found.cpu_ms:.0f} ms", slower
    yield big("a string of 10 MB in", found.big_in_ms)
    yield big("a string of 10 MB out", found.big_out_ms)


def _print(found: Measured) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(
        title=f"isolation level {found.isolation}, CPython {found.python}, {found.machine}",
        caption=f"{found.runs} runs; load average {found.load:g}",
        box=box.SIMPLE,
    )
    table.add_column("what")
    table.add_column("here", justify="right", no_wrap=True)
    table.add_column("beside")
    for row in _rows(found):
        table.add_row(*row)
    Console(highlight=False).print(table)
