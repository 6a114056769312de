"""The session of one `run_code`: what a body that outlives it leaves, and how a broken one ends."""

from __future__ import annotations

import gc
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import anyio
import pytest
from typing_extensions import override

from codemode import Limits, ToolRuntime, tool
from codemode.runtime.audit import verify
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.log import LogError, read_events
from codemode.runtime.log.errors import LogFullError
from codemode.runtime.log.events import Event, Record
from codemode.runtime.log.repair import repair
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.pipeline import PendingCall
from codemode.runtime.policy import Defer
from codemode.runtime.result import Result
from codemode.sandbox.errors import ToolCallError
from codemode.sandbox.memory import MemorySandbox, Stage

pytestmark = pytest.mark.anyio

#: Long enough for a program to begin, short enough to be waited for.
SHORT = Limits(wall_s=20, drain_s=0.1)


def events(store: MemoryStore) -> list[Event]:
    return [event for session in store.sessions() for event in read_events(store, session)]


def kinds(store: MemoryStore) -> list[str]:
    return [event.type for event in events(store)]


async def play(stage: Stage) -> None:
    await stage.call("tools.stuck")


def sandbox() -> MemorySandbox:
    return MemorySandbox({"stuck": play})


class Stuck:
    """A tool that does not end when it is asked to; in a thread, or in a task that shields itself."""

    def __init__(self, how: str) -> None:
        self.begun = anyio.Event()
        self._gate = anyio.Event()
        self._thread_gate = threading.Event()

        @tool(name="stuck", effects={"write"})
        async def in_task() -> str:
            """Wait for the test, whatever happens."""
            self.begun.set()
            with anyio.CancelScope(shield=True):
                await self._gate.wait()
            return "late"

        @tool(name="stuck", effects={"write"})
        def in_thread() -> str:
            """Wait for the test, whatever happens."""
            anyio.from_thread.run_sync(self.begun.set)
            self._thread_gate.wait()
            return "late"

        self.tool = in_task if how == "task" else in_thread

    def let_go(self) -> None:
        self._gate.set()
        self._thread_gate.set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.let_go()  # a test that fails must end all the same


async def until(store: MemoryStore, kind: str) -> None:
    """Wait until the log has an event of this type."""
    while kind not in kinds(store):  # noqa: ASYNC110 - a store tells nobody
        await anyio.sleep(0.005)


@pytest.mark.spec("CODE_MODE 5.3", "PIPELINE 8.3", "PIPELINE 8.5")
@pytest.mark.parametrize("how", ["task", "thread"])
async def test_a_body_that_outlives_its_run_is_logged_as_late_in_the_run_s_own_session(
    how: str, checked_store: MemoryStore
) -> None:
    limits = Limits(wall_s=0.2, drain_s=0.1)
    stuck = Stuck(how)
    with anyio.fail_after(20):
        async with (
            ToolRuntime(
                [stuck.tool], mode="code", log=checked_store, limits=limits, sandbox=sandbox()
            ) as runtime,
            stuck,
        ):
            result = await runtime.run_code("stuck")
            assert "call 1: stuck (outcome unknown)" in result.text
            assert kinds(checked_store)[-1] == "turn/close"
            stuck.let_go()
            await until(checked_store, "tool/late-settlement")
    assert kinds(checked_store)[-5:] == [
        "tool/code-run",
        "tool/result",
        "turn/close",
        "tool/late-settlement",
        "session/close",
    ]
    (late,) = [event.data for event in events(checked_store) if "late" in event.type]
    (settled,) = [event.data for event in events(checked_store) if event.type.endswith("dispatch")]
    assert settled["outcome"] == "unknown"
    assert (late["sub_call_id"], late["outcome"]) == (settled["sub_call_id"], "ok")


@pytest.mark.spec("CODE_MODE 3.5", "CODE_MODE 5.3", "PIPELINE 8.3", "PIPELINE 8.5")
async def test_a_program_goes_on_after_a_call_whose_body_does_not_end_at_its_timeout(
    checked_store: MemoryStore,
) -> None:
    stuck = Stuck("task")
    tools = [replace(stuck.tool, timeout_s=0.05)]

    async def play(stage: Stage) -> Any:
        codes: list[str] = []
        for _ in range(2):
            try:
                await stage.call("tools.stuck")
            except ToolCallError as error:
                codes.append(error.code)
        return codes

    async with (
        ToolRuntime(
            tools,
            mode="code",
            log=checked_store,
            limits=SHORT,
            sandbox=MemorySandbox({"stuck": play}),
        ) as runtime,
        stuck,
    ):
        with anyio.fail_after(20):
            result = await runtime.run_code("stuck")
            stuck.let_go()
            while kinds(checked_store).count("tool/late-settlement") < 2:  # noqa: ASYNC110 - see `until`
                await anyio.sleep(0.005)
    assert result.text == '["UNKNOWN_OUTCOME", "UNKNOWN_OUTCOME"]'
    settled = [event.data for event in events(checked_store) if event.type.endswith("dispatch")]
    assert [data["outcome"] for data in settled] == ["unknown", "unknown"]


@pytest.mark.spec("CODE_MODE 6.3", "PIPELINE 8.5", "PIPELINE 14.3")
async def test_a_body_that_ends_while_its_call_settles_is_logged_as_late_after_the_settlement(
    checked_store: MemoryStore,
) -> None:
    stuck = Stuck("task")
    ended = anyio.Event()

    async def post(execution: Execution, _: object) -> None:
        if execution.name == "stuck":
            stuck.let_go()
            await anyio.wait_all_tasks_blocked()  # so that the body has ended
            ended.set()

    with anyio.fail_after(20):
        async with (
            ToolRuntime(
                [replace(stuck.tool, timeout_s=0.05)],
                mode="code",
                log=checked_store,
                limits=SHORT,
                post_policies=[post],
                sandbox=sandbox(),
            ) as runtime,
            stuck,
        ):
            await runtime.run_code("stuck")
    assert ended.is_set()
    of_call = [kind for kind in kinds(checked_store) if kind.startswith("tool/code-dispatch")]
    assert of_call == ["tool/code-dispatch-start", "tool/code-dispatch"]
    at = kinds(checked_store).index
    assert at("tool/code-dispatch") < at("tool/late-settlement")
    assert verify(checked_store).faults == ()


@pytest.mark.spec("PIPELINE 8.3")
async def test_a_runtime_that_closes_gives_a_stuck_call_up_at_the_drain_deadline(
    checked_store: MemoryStore,
) -> None:
    stuck = Stuck("task")
    texts: list[str] = []

    async def run(runtime: ToolRuntime) -> None:
        texts.append((await runtime.run_code("stuck")).text)
        stuck.let_go()  # only now: the run has not waited for it

    with anyio.fail_after(20):
        async with (
            anyio.create_task_group() as tasks,
            stuck,
            ToolRuntime(
                [stuck.tool], mode="code", log=checked_store, limits=SHORT, sandbox=sandbox()
            ) as runtime,
        ):
            tasks.start_soon(run, runtime)
            await stuck.begun.wait()
    assert "outcome unknown" in texts[0]
    assert verify(checked_store).faults == ()


@pytest.mark.spec("PIPELINE 3.1", "CODE_MODE 6.3")
@pytest.mark.parametrize("levels", [600, 1_025, 5_000])
async def test_a_value_that_nests_too_deeply_fails_its_own_call_and_is_settled(
    levels: int, checked_store: MemoryStore
) -> None:
    @tool(effects={"write"})
    async def deep() -> Any:
        """Lists in lists."""
        value: Any = 1
        for _ in range(levels):
            value = [value]
        return value

    async def play(stage: Stage) -> str:
        try:
            await stage.call("tools.deep")
        except ToolCallError as error:
            return error.code
        return "it came through"

    with anyio.fail_after(20):
        async with ToolRuntime(
            [deep], mode="code", log=checked_store, sandbox=MemorySandbox({"deep": play})
        ) as runtime:
            result = await runtime.run_code("deep")
    assert result.text == "INVALID_TOOL_OUTPUT"
    assert kinds(checked_store).count("tool/code-dispatch") == 1


@pytest.mark.spec("CODE_MODE 5.3")
async def test_a_session_that_waits_for_a_body_ends_with_the_next_run(
    checked_store: MemoryStore,
) -> None:
    stuck = Stuck("task")
    limits = Limits(wall_s=0.2, drain_s=0.1)
    with anyio.fail_after(20):
        async with (
            ToolRuntime(
                [stuck.tool], mode="code", log=checked_store, limits=limits, sandbox=sandbox()
            ) as runtime,
            stuck,
        ):
            await runtime.run_code("stuck")
            stuck.let_go()
            await until(checked_store, "tool/late-settlement")
            assert "session/close" not in kinds(checked_store)
            await runtime.run_code("stuck")
            assert kinds(checked_store).count("session/close") == 2


@pytest.mark.spec("CODE_MODE 5.1", "CODE_MODE 5.3", "PIPELINE 14.3")
@pytest.mark.parametrize("by", ["signal", "task"])
async def test_a_cancelled_run_waits_for_the_settlement_of_a_stuck_call(
    by: str, checked_store: MemoryStore
) -> None:
    stuck = Stuck("task")
    source = CancelSource()
    results: list[Result] = []

    def keep(execution: Execution, result: Result) -> None:
        if execution.name == "run_code":
            results.append(result)

    async with (
        ToolRuntime(
            [stuck.tool],
            mode="code",
            log=checked_store,
            limits=SHORT,
            sandbox=sandbox(),
            observers=[keep],
        ) as runtime,
        stuck,
    ):
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                scope = anyio.CancelScope()

                async def run() -> None:
                    with scope:
                        await runtime.run_code("stuck", signal=source.signal)

                tasks.start_soon(run)
                await stuck.begun.wait()
                if by == "signal":
                    source.cancel("the user pressed stop")
                else:
                    scope.cancel()
        stuck.let_go()
        await until(checked_store, "tool/late-settlement")
    assert kinds(checked_store)[-6:] == [
        "tool/code-dispatch",
        "tool/code-run",
        "tool/result",
        "turn/close",
        "tool/late-settlement",
        "session/close",
    ]
    (result,) = results
    assert result.code == ("CODE_RUN_FAILED" if by == "signal" else "ABORTED")


@pytest.mark.spec("PIPELINE 6.15", "CODE_MODE 6.8", "PIPELINE 11.1")
async def test_what_a_deferral_runs_is_durable_before_its_body() -> None:
    store = MemoryStore()
    seen: list[list[str]] = []

    @tool(effects={"write"})
    async def publish(run: RunContext) -> None:
        """Look at what the log has."""
        seen.append([e.type for e in events(store) if e.data.get("call_id") == run.call_id])

    def later(execution: Execution) -> Defer:
        return Defer("tonight")

    handles: list[Any] = []
    async with ToolRuntime(
        [publish],
        log=store,
        policies=[later],
        observers=[lambda execution, result: handles.append(result.defer_handle)],
    ) as runtime:
        await runtime.execute("publish", {})
        assert not (await runtime.resume_deferred(handles[0])).is_error
    assert seen == [["tool/call"]]


class Failing(MemoryStore):
    """A store whose n-th append fails, and each one after it."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self._left = at

    def mend(self) -> None:
        """The disk has room again."""
        self._left = 1_000

    @override
    def append(self, records: Sequence[Record]) -> None:
        self._left -= 1
        if self._left < 0:
            raise LogFullError("the disk is full")
        super().append(records)


@tool(effects={"write"})
async def pay(n: int) -> int:
    """Each call waits for the log, so that each record is an append of its own."""
    return n


async def pay_thrice(stage: Stage) -> None:
    for n in range(3):
        await stage.call("tools.pay", n=n)


@pytest.mark.spec("CODE_MODE 6.11", "PIPELINE 14.3")
async def test_a_session_whose_log_fails_is_left_for_repair() -> None:
    at, has_failed = 0, True
    while has_failed:
        at += 1
        store = Failing(at)
        async with ToolRuntime(
            [pay], mode="code", log=store, sandbox=MemorySandbox({"pay": pay_thrice})
        ) as runtime:
            try:
                await runtime.run_code("pay")
            except LogError:
                has_failed = True
            else:
                has_failed = False
        store.mend()
        for session in store.sessions():
            await repair(store, session)
        if store.sessions():
            report = verify(store, strict=True)
            assert report.ok, report.faults
    assert at > 3


async def test_nothing_of_a_call_is_kept_once_the_program_has_its_answer() -> None:
    alive: list[int] = []

    @tool(effects={"read"})
    async def count() -> int:
        """Count the calls of which something is left, without the collector's help."""
        alive.append(sum(type(thing) is PendingCall for thing in gc.get_objects()))
        return alive[-1]

    async def play(stage: Stage) -> None:
        for _ in range(20):
            await stage.call("tools.count")

    async with ToolRuntime([count], mode="code", sandbox=MemorySandbox({"count": play})) as runtime:
        assert not (await runtime.run_code("count")).is_error
    assert alive[-1] == alive[1], "as many as at the second call"
