"""Batches: what overlaps, what is logged in which order, and what a cancellation leaves."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from logged import data_of, kinds
from loop_harness import OPEN, Gated, scripted
from typing_extensions import override

from codemode import Limits, ToolRuntime
from codemode.runtime.approval import ApprovalOutcome, ApprovalRequest
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.definition import Tool
from codemode.runtime.errors import MisuseError
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.log import LogError, Record
from codemode.runtime.log.repair import repair
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.loop import AgentLoop, Batch, Turn, call
from codemode.runtime.policy import Ask, BodyOutcome
from codemode.runtime.result import Result

pytestmark = pytest.mark.anyio


async def blocked() -> None:
    """Until nothing can go on without the test."""
    await anyio.wait_all_tasks_blocked()


def gated_calls(*names: str, tool: str = "gated") -> list[Any]:
    return [call(tool, call_id=who, who=who) for who in names]


class Running:
    """A turn in the background."""

    def __init__(self, agent: AgentLoop) -> None:
        self.agent = agent
        self.source = CancelSource()
        self.turn: Turn | None = None
        self.scope = anyio.CancelScope()

    async def __call__(self) -> None:
        with self.scope:
            self.turn = await self.agent.run("go", signal=self.source.signal)

    @property
    def results(self) -> tuple[Result, ...]:
        assert self.turn is not None
        return self.turn.results


@pytest.mark.spec("PIPELINE 10.2", "PIPELINE 10.3")
async def test_safe_calls_form_a_rolling_pool_and_results_keep_the_model_s_order(
    checked_store: MemoryStore,
) -> None:
    gated = Gated()
    async with ToolRuntime([gated.tool], log=checked_store) as runtime:
        model = scripted(gated_calls("a", "b", "c", "d"))
        async with runtime.agent(model, max_parallel=2) as agent:
            running = Running(agent)
            with anyio.fail_after(5):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(running)
                    await blocked()
                    assert sorted(gated.begun) == ["a", "b"]
                    gated.open("b")
                    await blocked()
                    assert sorted(gated.begun) == ["a", "b", "c"]
                    gated.open("c")
                    await blocked()
                    assert sorted(gated.begun) == ["a", "b", "c", "d"]
                    gated.open("d", "a")
    assert gated.ended[:2] == ["b", "c"]
    assert [result.value for result in running.results] == ["a", "b", "c", "d"]
    logged = [result["call_id"] for result in data_of(checked_store, "tool/result")]
    assert logged == ["a", "b", "c", "d"]


@pytest.mark.spec("PIPELINE 10.1", "PIPELINE 10.2")
async def test_an_exclusive_call_is_a_barrier_of_one(checked_store: MemoryStore) -> None:
    safe = Gated("safe")
    alone = Gated("alone", is_concurrency_safe=False)
    async with ToolRuntime([safe.tool, alone.tool], log=checked_store) as runtime:
        model = scripted(
            [
                *gated_calls("a", "b", tool="safe"),
                *gated_calls("x", tool="alone"),
                *gated_calls("c", tool="safe"),
            ]
        )
        async with runtime.agent(model) as agent:
            running = Running(agent)
            with anyio.fail_after(5):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(running)
                    await blocked()
                    assert (sorted(safe.begun), alone.begun) == (["a", "b"], [])
                    safe.open("a")
                    await blocked()
                    assert alone.begun == []
                    safe.open("b")
                    await blocked()
                    assert (sorted(safe.begun), alone.begun) == (["a", "b"], ["x"])
                    alone.open("x")
                    await blocked()
                    assert sorted(safe.begun) == ["a", "b", "c"]
                    safe.open("c")


def truthy(_: Any) -> Any:
    return 1


def silent(_: Any) -> None:
    return None


def throwing(_: Any) -> bool:
    raise ValueError("no idea")


@pytest.mark.spec("PIPELINE 10.1")
@pytest.mark.parametrize("declared", [False, 1, truthy, silent, throwing])
async def test_anything_but_true_is_exclusive(checked_store: MemoryStore, declared: Any) -> None:
    gated = Gated(is_concurrency_safe=declared)
    async with (
        ToolRuntime([gated.tool], log=checked_store) as runtime,
        runtime.agent(scripted(gated_calls("a", "b"))) as agent,
    ):
        running = Running(agent)
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(running)
                await blocked()
                assert gated.begun == ["a"]
                gated.open("a", "b")


@pytest.mark.spec("PIPELINE 10.1")
async def test_safety_is_read_again_just_before_each_start(checked_store: MemoryStore) -> None:
    answers = {"b": True}

    def is_safe(arguments: Any) -> bool:
        return answers.get(str(arguments["who"]), True)

    gated = Gated(is_concurrency_safe=is_safe)
    async with (
        ToolRuntime([gated.tool], log=checked_store) as runtime,
        runtime.agent(scripted(gated_calls("a", "b")), max_parallel=1) as agent,
    ):
        running = Running(agent)
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(running)
                await blocked()
                answers["b"] = False
                gated.open("a", "b")
    assert gated.ended == ["a", "b"]


@pytest.mark.spec("PIPELINE 10.4")
async def test_on_cancellation_nothing_new_starts_and_every_call_has_its_pair(
    checked_store: MemoryStore,
) -> None:
    gated = Gated()
    async with (
        ToolRuntime([gated.tool], log=checked_store) as runtime,
        runtime.agent(scripted(gated_calls("a", "b", "c", "d")), max_parallel=2) as agent,
    ):
        running = Running(agent)
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(running)
                await blocked()
                running.source.cancel("the user pressed stop")
    assert running.turn is not None
    assert (running.turn.ended, running.turn.reason) == ("cancelled", "the user pressed stop")
    assert [result.code for result in running.results] == [
        "ABORTED",
        "ABORTED",
        "ABORTED_BEFORE_DISPATCH",
        "ABORTED_BEFORE_DISPATCH",
    ]
    assert sorted(gated.begun) == ["a", "b"]
    assert kinds(checked_store, of="tool/") == [
        "tool/call",
        "tool/call",
        "tool/result",
        "tool/result",
        "tool/call",
        "tool/result",
        "tool/call",
        "tool/result",
    ]


@pytest.mark.spec("PIPELINE 10.4", "PIPELINE 6.19")
async def test_a_cancelled_task_settles_its_batch_and_its_turn_first(
    checked_store: MemoryStore,
) -> None:
    gated = Gated()
    async with (
        ToolRuntime([gated.tool], log=checked_store) as runtime,
        runtime.agent(scripted(gated_calls("a", "b")), max_parallel=1) as agent,
    ):
        running = Running(agent)
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(running)
                await blocked()
                running.scope.cancel()
        assert running.scope.cancelled_caught
        assert [type(message).__name__ for message in agent.messages[-4:]] == [
            "AssistantMessage",
            "ToolMessage",
            "ToolMessage",
            "UserMessage",
        ]
        assert (await agent.run("again")).ended == "answered"
    codes = [result["error_info"]["code"] for result in data_of(checked_store, "tool/result")]
    assert codes == ["ABORTED", "ABORTED_BEFORE_DISPATCH"]
    assert data_of(checked_store, "turn/close")[0]["reason"] == "cancelled"


@pytest.mark.spec("PIPELINE 10.4", "PIPELINE 8.2")
async def test_a_call_that_never_started_is_published_once_and_its_arguments_are_judged(
    checked_store: MemoryStore,
) -> None:
    seen: list[tuple[str, str | None]] = []
    gated = Gated(is_concurrency_safe=False)
    strict = Tool.raw(
        "strict",
        "Strict.",
        {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
        lambda arguments, run: 1,
    )
    async with ToolRuntime(
        [gated.tool, strict],
        log=checked_store,
        observers=[lambda execution, result: seen.append((result.call_id, result.code))],
    ) as runtime:
        model = scripted([*gated_calls("a"), call("strict", call_id="s"), *gated_calls("b")])
        async with runtime.agent(model) as agent:
            running = Running(agent)
            with anyio.fail_after(5):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(running)
                    await blocked()
                    running.source.cancel()
    assert seen == [("a", "ABORTED"), ("s", "INVALID_ARGS"), ("b", "ABORTED_BEFORE_DISPATCH")]


@pytest.mark.spec("PIPELINE 10.5", "PIPELINE 4.8")
async def test_batch_observers_see_a_batch_open_and_settle(checked_store: MemoryStore) -> None:
    seen: list[Batch] = []
    elsewhere: list[Batch] = []

    def throw(_: Batch) -> None:
        raise RuntimeError("an observer's own fault")

    gated = Gated()
    gated.open("a", "b")
    async with ToolRuntime(
        [gated.tool], log=checked_store, batches=[throw, seen.append]
    ) as runtime:
        scope = runtime.scope("agent")
        runtime.scope("other").add("batch", elsewhere.append)
        model = scripted(gated_calls("a", "b"))
        async with runtime.agent(model, scope=scope) as agent:
            turn = await agent.run("go")
    opened, settled = seen
    assert elsewhere == []
    assert opened.results is None
    assert [made.call_id for made in opened.calls] == ["a", "b"]
    assert settled.results == turn.results
    assert opened.batch_id == settled.batch_id
    (event,) = data_of(checked_store, "batch/settled")
    assert dict(event["outcomes"]) == {"a": "ok", "b": "ok"}
    assert event["batch_id"] == opened.batch_id


class SlowChannel:
    """Asks a person who takes their time."""

    def __init__(self) -> None:
        self.answered = anyio.Event()

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        await self.answered.wait()
        return ApprovalOutcome(answer="allowed", by="a person")


@pytest.mark.spec("PIPELINE 10.6", "CODE_MODE 3.6")
async def test_policies_are_entered_one_at_a_time_and_a_waiting_approval_delays_no_sibling(
    checked_store: MemoryStore,
) -> None:
    asked: list[str] = []
    settled: list[str] = []

    def ask(execution: Execution) -> Ask | None:
        asked.append(execution.call_id)
        return Ask("really?") if execution.call_id == "b" else None

    channel = SlowChannel()
    gated = Gated()
    async with (
        ToolRuntime(
            [gated.tool],
            log=checked_store,
            policies=[ask],
            approval=channel,
            observers=[lambda execution, result: settled.append(result.call_id)],
        ) as runtime,
        runtime.agent(scripted(gated_calls("a", "b", "c"))) as agent,
    ):
        running = Running(agent)
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(running)
                await blocked()
                assert asked == ["a", "b"]
                gated.open("a")
                await blocked()
                assert settled == ["a"]
                assert asked == ["a", "b"]
                channel.answered.set()
                gated.open("b", "c")
    assert asked == ["a", "b", "c"]


@pytest.mark.spec("PIPELINE 10.6")
async def test_post_execute_runs_one_at_a_time_in_the_order_in_which_bodies_end(
    checked_store: MemoryStore,
) -> None:
    order: list[str] = []
    slow = anyio.Event()

    async def post(execution: Execution, outcome: BodyOutcome) -> None:
        order.append(f"in {execution.call_id}")
        if execution.call_id == "c":
            await slow.wait()
        order.append(f"out {execution.call_id}")

    gated = Gated()
    async with (
        ToolRuntime([gated.tool], log=checked_store, post_policies=[post]) as runtime,
        runtime.agent(scripted(gated_calls("a", "b", "c"))) as agent,
    ):
        running = Running(agent)
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(running)
                await blocked()
                gated.open("c")
                await blocked()
                gated.open("a")
                await blocked()
                gated.open("b")
                await blocked()
                assert order == ["in c"]
                slow.set()
    assert order == ["in c", "out c", "in a", "out a", "in b", "out b"]


class FailingStore(MemoryStore):
    """A log that is lost when it is to keep an event of one call."""

    def __init__(self, call_id: str) -> None:
        super().__init__()
        self._mark = call_id.encode()
        self.is_broken = True

    @override
    def append(self, records: Any) -> None:
        kept: list[Record] = list(records)
        if self.is_broken and any(
            self._mark in record.body and record.type == "tool/call" for record in kept
        ):
            raise OSError(28, "No space left on device")
        super().append(kept)


@pytest.mark.spec("PIPELINE 10.7", "CODE_MODE 6.11")
async def test_a_log_that_fails_in_a_batch_ends_it_with_the_first_failure_and_no_invented_result() -> (
    None
):
    store = FailingStore("the-lost-one")
    safe = Gated("safe")
    mutating = Gated("mutating", effects=frozenset({"write"}), is_concurrency_safe=True)
    async with ToolRuntime([safe.tool, mutating.tool], log=store) as runtime:
        model = scripted(
            [
                *gated_calls("a", tool="safe"),
                call("mutating", call_id="the-lost-one", who="x"),
                *gated_calls("c", tool="safe"),
            ]
        )
        with anyio.fail_after(5):
            async with runtime.agent(model) as agent:

                async def go() -> None:
                    with pytest.raises(LogError, match="the log is unavailable"):
                        await agent.run("go")

                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(go)
                    await blocked()
                    assert safe.begun == ["a"]
                    safe.open("a")
                assert safe.ended == ["a"]
                assert mutating.begun == []
                with pytest.raises(MisuseError, match="broke off"):
                    await agent.run("again")
    store.is_broken = False
    (session,) = store.sessions()
    await repair(store, session)
    results = data_of(store, "tool/result")
    assert all(result["call_id"] != "c" for result in results)


@pytest.mark.spec("CODE_MODE 6.8", "PIPELINE 11.1")
async def test_the_call_of_a_body_that_changes_something_is_durable_before_it_runs(
    checked_store: MemoryStore,
) -> None:
    found: list[int] = []

    async def change(arguments: Any, run: RunContext) -> str:
        (session,) = checked_store.sessions()
        found.append(sum(r.type == "tool/call" for r in checked_store.read(session)))
        return "changed"

    tool = Tool.raw("change", "Change.", OPEN, change, effects={"write"})
    async with (
        ToolRuntime([tool], log=checked_store) as runtime,
        runtime.agent(scripted([call("change")], [call("change")])) as agent,
    ):
        await agent.run("go")
    assert found == [1, 2]


@pytest.mark.spec("PIPELINE 8.3", "PIPELINE 10.4")
async def test_a_body_that_will_not_end_is_left_and_its_late_end_is_logged_between_turns(
    checked_store: MemoryStore,
) -> None:
    ended = anyio.Event()
    begun = anyio.Event()

    async def stubborn(arguments: Any, run: RunContext) -> str:
        with anyio.CancelScope(shield=True):
            begun.set()
            await ended.wait()
        return "after all"

    tool = Tool.raw("stubborn", "Never mind.", OPEN, stubborn, effects={"read"})
    limits = Limits(drain_s=0.01)
    async with (
        ToolRuntime([tool], log=checked_store, limits=limits) as runtime,
        runtime.agent(scripted([call("stubborn", call_id="s")])) as agent,
    ):
        running = Running(agent)
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(running)
                await begun.wait()
                running.source.cancel("enough")
            assert [result.code for result in running.results] == ["UNKNOWN_OUTCOME"]
            ended.set()
            await blocked()
    (late,) = data_of(checked_store, "tool/late-settlement")
    assert (late["sub_call_id"], late["outcome"]) == ("s", "ok")
    assert kinds(checked_store)[-3:] == ["turn/close", "tool/late-settlement", "session/close"]
