"""The effect ledger under random kills, against what the tools themselves wrote down.

Random programs of mutating calls end in every way there is, at a random call, before or after that
call's effect. What the model reads, what the log has, and the file that the tools wrote must tell
one story: nothing that happened is missing, and nothing is called done that did not happen.
"""

from __future__ import annotations

import os
import random
import re
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import anyio
import pytest
from typing_extensions import override

from codemode import Limits, ToolRuntime, tool
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.log import LogError, read_events
from codemode.runtime.log.errors import LogFullError
from codemode.runtime.log.events import Record
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.policy import Deny, Stop
from codemode.runtime.result import Result
from codemode.sandbox.control import RunControl
from codemode.sandbox.errors import ToolCallError
from codemode.sandbox.forkserver.guest import Guest
from codemode.sandbox.local import LocalSandbox
from codemode.sandbox.memory import MemorySandbox, Stage
from codemode.sandbox.program import Failure

pytestmark = pytest.mark.anyio

#: How a program ends before its time.
End = Literal["exception", "calls", "wall", "output", "signal", "task", "guest", "stop", "early"]

#: Programs of each kind of end.
PROGRAMS = 12


class WatchedSandbox(LocalSandbox):
    """Remembers the guest of the run that began last."""

    guest: Guest | None = None

    @override
    async def _acquire(self, limits: Limits, control: RunControl) -> Guest | Failure:
        found = await super()._acquire(limits, control)
        self.guest = found if isinstance(found, Guest) else None
        return found

    def kill_guest(self) -> None:
        """As the kernel would, without the host's knowledge."""
        if self.guest is not None:
            os.kill(self.guest.pid, signal.SIGKILL)


@dataclass(slots=True)
class World:
    """One run: where its effects go, and where it is to be ended.

    Attributes:
        at: The call whose body ends the run; 0 is none.
        is_before: That call's effect comes after the kill, if it still comes.
    """

    effects: Path
    at: int = 0
    is_before: bool = False
    end: End = "early"
    bodies: int = 0
    source: CancelSource = field(default_factory=CancelSource)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    results: list[Result] = field(default_factory=list[Result])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A runtime whose tools write to the file of the run in `world`."""

    runtime: ToolRuntime
    store: MemoryStore
    world: list[World]


def _tools(world: list[World], sandbox: WatchedSandbox) -> list[Any]:
    def kill() -> None:
        match world[0].end:
            case "signal":
                world[0].source.cancel("the user pressed stop")
            case "task":
                world[0].scope.cancel()
            case "guest":
                sandbox.kill_guest()
            case _:
                pass

    def take_effect(run: RunContext) -> None:
        with world[0].effects.open("a") as file:
            file.write(f"{run.call_id}\n")

    async def work(run: RunContext) -> None:
        here = world[0]
        here.bodies += 1
        is_last = here.bodies == here.at
        if is_last and here.is_before:
            kill()
            await anyio.lowlevel.checkpoint()
        take_effect(run)
        if is_last and not here.is_before:
            kill()
        await anyio.lowlevel.checkpoint()

    @tool(effects={"write"})
    async def put(run: RunContext) -> str:
        """Take effect, alone."""
        await work(run)
        return "done"

    @tool(effects={"write"}, concurrency_safe=True)
    async def put_beside(run: RunContext) -> str:
        """Take effect beside others."""
        await work(run)
        return "done"

    @tool(effects={"write"}, concurrency_safe=True)
    async def put_shielded(run: RunContext) -> str:
        """Take effect whatever happens to the call."""
        with anyio.CancelScope(shield=True):
            await work(run)
            await anyio.sleep(0.001)
        return "done"

    @tool(effects={"write"})
    def put_in_thread(run: RunContext) -> str:
        """Take effect from a thread of the pool."""
        take_effect(run)
        return "done"

    @tool(effects={"write"})
    async def put_and_fail(run: RunContext) -> str:
        """Take effect, and fail."""
        await work(run)
        raise ValueError("no luck")

    @tool(effects={"write"})
    async def put_forbidden(run: RunContext) -> str:
        """Never allowed."""
        take_effect(run)
        return "done"

    return [put, put_beside, put_shielded, put_in_thread, put_and_fail, put_forbidden]


NAMES = ("put", "put_beside", "put_beside", "put_shielded", "put_in_thread", "put_and_fail")


@asynccontextmanager
async def bench(folder: Path) -> AsyncGenerator[Bench]:
    """A runtime on a real sandbox, with a policy that denies one tool and may stop the run."""
    store, world = MemoryStore(), [World(folder / "none")]
    sandbox = WatchedSandbox()

    def policy(execution: Execution) -> Deny | Stop | None:
        if execution.name == "put_forbidden":
            return Deny("never", rule="never")
        here = world[0]
        is_due = execution.is_nested and here.end == "stop" and here.bodies + 1 >= here.at
        return Stop("enough") if is_due else None

    def keep(execution: Execution, result: Result) -> None:
        if not execution.is_nested:
            world[0].results.append(result)

    runtime = ToolRuntime(
        _tools(world, sandbox),
        mode="code",
        log=store,
        sandbox=sandbox,
        policies=[policy],
        observers=[keep],
    )
    try:
        async with runtime:
            yield Bench(runtime=runtime, store=store, world=world)
    finally:
        await sandbox.aclose()


def program(chance: random.Random, end: End, at: int) -> str:
    """Calls one by one and side by side, caught or not; it ends itself before call `at` or so."""
    lines = ["import asyncio"]
    made = 0
    while made < 8:
        if made >= at and end in _BY_PROGRAM:
            lines.append(_BY_PROGRAM[end])
            break
        count = chance.choice((1, 1, 2, 3))
        names = [chance.choice((*NAMES, "put_forbidden")) for _ in range(count)]
        made += count
        if count == 1 and chance.random() < 0.3:
            lines.append(f"asyncio.ensure_future(tools.{names[0]}())")
            lines.append("await asyncio.sleep(0)")
        else:
            calls = ", ".join(f"tools.{name}()" for name in names)
            lines.append(f"await asyncio.gather({calls}, return_exceptions=True)")
    return "\n".join(lines)


#: What a program does to end itself.
_BY_PROGRAM: dict[str, str] = {
    "exception": "raise RuntimeError('broken')",
    "wall": "while True: pass",
    "output": "while True: print('x' * 1000)",
    "early": "raise SystemExit(0)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the text of a failure says of single calls."""

    by_number: dict[int, str]
    counted: dict[str, int]

    @classmethod
    def read(cls, text: str) -> Said:
        ledger = text.partition("Tool calls of this program:\n")[2]
        listed = re.findall(r"^- call (\d+): \w+ \((.*)\)$", ledger, re.MULTILINE)
        counted: dict[str, int] = {}
        heads = re.findall(r"^- ([a-z, ]+): (.*)$", ledger.partition("These may")[0], re.MULTILINE)
        for heading, names in heads:
            many = re.findall(r" x(\d+)", names)
            counted[heading] = sum(map(int, many)) + names.count(",") + 1 - len(many)
        return cls(by_number={int(n): how for n, how in listed}, counted=counted)


DONE = ("completed", "completed, result not delivered")


def agree(here: World, store: MemoryStore, source: str) -> None:
    """The file, the log and the text tell one story."""
    happened = [int(line.rpartition(":")[2]) for line in here.effects.read_text().split()]
    assert len(happened) == len(set(happened)), source
    (result,) = here.results
    session = store.sessions()[-1]
    events = list(read_events(store, session))
    settled = {
        int(event.data["sub_call_id"].rpartition(":")[2]): event.data
        for event in events
        if event.type == "tool/code-dispatch"
    }
    for number in happened:
        assert number in settled, source
        data = settled[number]
        assert data["outcome"] in ("ok", "discarded", "error", "aborted", "unknown"), source
        error = data.get("error")
        assert error is None or error["body_started"], source
    for number, data in settled.items():
        if data["outcome"] in ("ok", "discarded"):
            assert number in happened, source
        assert data["outcome"] != "error" or data["name"] == "put_and_fail", source
    if result.is_error and result.code == "CODE_RUN_FAILED":
        said = Said.read(result.text)
        assert set(happened) <= said.by_number.keys(), (source, result.text)
        assert all(n in happened for n, how in said.by_number.items() if how in DONE), source
        (ended,) = [event.data for event in events if event.type == "tool/code-run"]
        counts = {key: n for key, n in said.counted.items() if key != "never started"}
        assert sum(counts.values()) == sum(ended["usage"]["sub_calls"].values()), source
        assert sum(counts.values()) == len(settled), source
    else:
        assert here.end in ("signal", "task", "early") or not result.is_error, result.text


@pytest.mark.spec("CODE_MODE 2.5", "CODE_MODE 5.2", "CODE_MODE 5.4")
@pytest.mark.parametrize("end", get_args(End))
async def test_the_ledger_agrees_with_what_the_tools_did_however_a_run_ends(
    end: End, tmp_path: Path
) -> None:
    chance = random.Random(f"ledger {end}")
    ended_early = 0
    with anyio.fail_after(60):
        async with bench(tmp_path) as given:
            for number in range(PROGRAMS):
                at = chance.randint(1, 6)
                here = World(
                    tmp_path / str(number), at=at, is_before=chance.random() < 0.5, end=end
                )
                here.effects.touch()
                given.world[0] = here
                source = program(chance, end, at)
                limits = Limits(
                    wall_s=0.2 if end == "wall" else 20,
                    calls=at if end == "calls" else 1_000,
                    output_bytes=10_000,
                )
                with here.scope:
                    await given.runtime.run_code(source, signal=here.source.signal, limits=limits)
                agree(here, given.store, source)
                ended_early += here.results[0].is_error
    assert ended_early >= PROGRAMS // 3 or end == "early"


class Full(MemoryStore):
    """A store that takes so many records and no more."""

    def __init__(self, records: int) -> None:
        super().__init__()
        self._left = records

    @override
    def append(self, records: Sequence[Record]) -> None:
        self._left -= len(records)
        if self._left < 0:
            raise LogFullError("the disk is full")
        super().append(records)


@pytest.mark.spec("CODE_MODE 6.11", "CODE_MODE 2.5")
async def test_a_log_that_fails_ends_the_run_as_a_crash_with_a_true_ledger() -> None:
    at, has_failed = 0, True
    while has_failed:
        at += 1
        begun: list[int] = []
        results: list[Result] = []
        notes: list[str] = []

        @tool(effects={"write"})
        async def pay(n: int) -> int:
            """Pay."""
            begun.append(n)  # noqa: B023 - the tool lives as long as this round
            return n

        async def stubborn(stage: Stage) -> None:
            for n in range(1, 4):
                try:
                    await stage.call("tools.pay", n=n)
                except ToolCallError as error:
                    await stage.print(f"{error.code}\n")

        def keep(execution: Execution, result: Result) -> None:
            if not execution.is_nested:
                results.append(result)  # noqa: B023 - as above

        async with ToolRuntime(
            [pay],
            mode="code",
            log=Full(at),
            sandbox=MemorySandbox({"stubborn": stubborn}),
            observers=[keep],
        ) as runtime:
            try:
                await runtime.run_code("stubborn")
            except LogError as error:
                has_failed = True
                notes = getattr(error, "__notes__", [])
            else:
                has_failed = False
        if not results:
            assert begun == []
        elif has_failed and results[0].is_error:
            (result,) = results
            assert notes == [result.text], "whoever reads the exception learns what was done"
            assert result.error_info is not None
            assert (result.error_info.code, result.error_info.kind) == ("CODE_RUN_FAILED", "crash")
            assert set(begun) <= Said.read(result.text).by_number.keys(), result.text
    assert at > 10
