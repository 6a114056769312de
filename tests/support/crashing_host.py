"""A host that dies by SIGKILL at a chosen point, again and again: for the tests of crash safety.

Run as a program it is warm and single-threaded: each line that it reads is a `Plan` as JSON, for
which it forks a host with a real runtime, log and tools. It writes `ack SESSION SEQ` for whatever
that host was told to be durable, then `end STATUS`. A host that outlives its plan exits with 0.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

import anyio

from codemode import Limits, ToolRuntime, tool
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.log.events import Record
from codemode.runtime.log.session import SessionLog
from codemode.runtime.log.stores.jsonl import JsonLinesStore
from codemode.runtime.log.stores.sqlite import SqliteStore
from codemode.runtime.loop import AssistantMessage, ScriptedModel, call
from codemode.runtime.policy import Defer, Deny, Observer
from codemode.runtime.result import Result
from codemode.sandbox.errors import ToolCallError
from codemode.sandbox.memory import MemorySandbox, Stage

#: Where the host dies: around the n-th record that becomes durable, or after the n-th side effect.
When = Literal["before", "after", "effect"]
#: Who owns the calls: the agent loop, `ToolRuntime.run_code`, or a deferral that is taken up.
OwnerKind = Literal["loop", "run_code", "deferral"]

PROGRAM: Final = """\
import asyncio
await tools.put(text="alone")
await asyncio.gather(tools.put_later(text="b"), tools.look(), tools.put(text="c"))
try:
    await tools.put(text="denied")
except ToolCallError:
    pass
await tools.put_in_thread(text="d")
"""
#: What reaches the side-effect file when nothing is killed, in no order.
PROGRAM_EFFECTS: Final = frozenset({"alone", "b", "c", "d"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One life of a host.

    Attributes:
        at: Counts from 1; 0 never dies.
        log: The log's path; the side effects go to `effects`, a line each: call id and text.
        is_jailed: Programs run in real guests; otherwise a script in the host plays them.
        is_journaled: Runs are journaled, so that they can be resumed.
    """

    when: When
    at: int
    owner: OwnerKind
    log: str
    effects: str
    is_jailed: bool = False
    is_journaled: bool = False


@dataclass(slots=True)
class Life:
    """What is known of a host that has lived.

    Attributes:
        acknowledged: The greatest seq of each session that the host was told to be durable.
    """

    acknowledged: dict[str, int] = field(default_factory=dict[str, int])
    has_got_through: bool = False


class Nursery:
    """The warm parent of hosts, as the test sees it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def live(self, plan: Plan) -> Life:
        """Let one host live and die.

        Raises:
            AssertionError: It ended in another way than by our SIGKILL.
        """
        given, taken = self._process.stdin, self._process.stdout
        assert given is not None
        assert taken is not None
        given.write(json.dumps(asdict(plan)) + "\n")
        given.flush()
        life = Life()
        for line in taken:
            kind, *words = line.split()
            if kind == "end":
                status = int(words[0])
                assert status in (0, -signal.SIGKILL), f"the host ended with {status}"
                life.has_got_through = status == 0
                return life
            session, seq = words
            life.acknowledged[session] = max(life.acknowledged.get(session, 0), int(seq))
        raise AssertionError("the parent of the hosts is gone")


@contextmanager
def nursery() -> Generator[Nursery]:
    """Start the warm parent; its hosts inherit nothing but what it has imported."""
    with subprocess.Popen(  # this very file, by this interpreter
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Nursery(process)
        finally:
            process.kill()


# --- the host --------------------------------------------------------------------------------


class Death:
    """Counts down to the kill.

    Attributes:
        when: The kind of point that counts.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.when: Final = plan.when
        self._count = 0

    def reached(self, *when: When) -> bool:
        """Whether this is the point; each point of the plan's kind counts."""
        if self._plan.when not in when:
            return False
        self._count += 1
        return self._count == self._plan.at

    @staticmethod
    def now() -> None:
        """No handler, no flush, no `finally` runs."""
        os.kill(os.getpid(), signal.SIGKILL)


def _die_around_records(death: Death) -> None:
    """Let each record be an append of its own, and die before or after the chosen one."""
    stores: tuple[Any, ...] = (SqliteStore, JsonLinesStore)
    for store in stores:
        store.append = _one_by_one(store.append, death)


def _one_by_one(
    append: Callable[[Any, Sequence[Record]], None], death: Death
) -> Callable[[Any, Sequence[Record]], None]:
    def dying(self: Any, records: Sequence[Record]) -> None:
        for record in records:
            is_last = death.reached("before", "after")
            if is_last and death.when == "before":
                death.now()
            append(self, [record])
            if is_last:
                death.now()

    return dying


def _tell_what_is_durable() -> None:
    flush = SessionLog.flush

    async def told(self: SessionLog) -> None:
        seq = self.seq
        await flush(self)
        os.write(1, f"ack {self.session} {seq}\n".encode())

    SessionLog.flush = told  # type: ignore[method-assign]


def _tools(plan: Plan, death: Death) -> list[Any]:
    fd = os.open(plan.effects, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def take_effect(run: RunContext, text: str) -> None:
        os.write(fd, f"{run.call_id} {text}\n".encode())
        if death.reached("effect"):
            death.now()

    @tool(effects={"write"})
    async def put(text: str, run: RunContext) -> str:
        """Write a line, then let others run, then return."""
        take_effect(run, text)
        await anyio.lowlevel.checkpoint()
        return text

    @tool(effects={"write"}, concurrency_safe=True)
    async def put_later(text: str, run: RunContext) -> str:
        """Let others run, then write a line."""
        await anyio.lowlevel.checkpoint()
        take_effect(run, text)
        return text

    @tool(effects={"write"})
    def put_in_thread(text: str, run: RunContext) -> str:
        """Write a line from a thread of the pool."""
        take_effect(run, text)
        return text

    @tool(effects={"read"})
    async def look() -> str:
        """Change nothing."""
        return "seen"

    return [put, put_later, put_in_thread, look]


def _policy(execution: Execution) -> Deny | Defer | None:
    text = execution.arguments.get("text")
    if text == "denied":
        return Deny("not this one", rule="no-denied")
    return Defer("tonight") if text == "deferred" else None


async def _script(stage: Stage) -> None:
    """What `PROGRAM` does, for the twin."""
    await stage.call("tools.put", text="alone")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: stage.call("tools.put_later", text="b"))
        tasks.start_soon(lambda: stage.call("tools.look"))
        tasks.start_soon(lambda: stage.call("tools.put", text="c"))
    try:
        await stage.call("tools.put", text="denied")
    except ToolCallError:
        await stage.print("denied")
    await stage.call("tools.put_in_thread", text="d")


def surviving_runtime(plan: Plan) -> ToolRuntime:
    """A runtime of the same host, for its next life, which nothing ends."""
    return _runtime(plan, Death(replace(plan, at=0)))


def _runtime(plan: Plan, death: Death, *observers: Observer) -> ToolRuntime:
    return ToolRuntime(
        _tools(plan, death),
        mode="both",
        log=plan.log,
        journal="full" if plan.is_journaled else "off",
        policies=[_policy],
        observers=observers,
        limits=Limits(wall_s=30),
        sandbox=None if plan.is_jailed else MemorySandbox({PROGRAM: _script}),
    )


async def _live(plan: Plan) -> None:
    death = Death(plan)
    _tell_what_is_durable()
    _die_around_records(death)
    handles: list[str] = []

    def note(_: Execution, result: Result) -> None:
        if result.defer_handle is not None:
            handles.append(result.defer_handle)

    async with _runtime(plan, death, note) as runtime:
        if plan.owner == "run_code":
            result = await runtime.run_code(PROGRAM)
            assert not result.is_error, result.text
        elif plan.owner == "loop":
            await _converse(runtime)
        else:
            async with runtime.agent(
                ScriptedModel(
                    [
                        AssistantMessage.of("", call("put", text="deferred")),
                        AssistantMessage.of("done"),
                    ]
                )
            ) as agent:
                await agent.run("go")
            taken = await runtime.resume_deferred(handles[0])
            assert not taken.is_error, taken.text


async def _converse(runtime: ToolRuntime) -> None:
    """Two turns; the first has a batch of native calls around a program."""
    model = ScriptedModel(
        [
            AssistantMessage.of(
                "working",
                call("put", text="first"),
                call("put_later", text="second"),
                call("run_code", code=PROGRAM),
                call("put_in_thread", text="last"),
            ),
            AssistantMessage.of("done"),
            AssistantMessage.of("", call("put", text="again")),
            AssistantMessage.of("done again"),
        ]
    )
    async with runtime.agent(model) as agent:
        first = await agent.run("go")
        assert not any(result.is_error for result in first.results)
        await agent.run("once more")


def _serve() -> None:
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                anyio.run(_live, Plan(**json.loads(line)))
                code = 0
            except BaseException:  # noqa: BLE001 - the child must not go on as another parent of hosts
                traceback.print_exc()
            os._exit(code)
        _, status = os.waitpid(pid, 0)
        os.write(1, f"end {os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    _serve()
