"""Cancellation at every stage, driven by events and a fake clock: no sleeps."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from pipeline_harness import Harness, noting

from codemode.runtime.approval import ApprovalOutcome, ApprovalRequest
from codemode.runtime.cancellation import CancelSignal, CancelSource
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import RunContext
from codemode.runtime.policy import Accept, Allow, Around, Ask, Block, BodyOutcome, CallNext, Deny
from codemode.runtime.result import Result

pytestmark = pytest.mark.anyio


async def echo(arguments: Any, run: RunContext) -> Any:
    return dict(arguments)


async def settled(condition: Callable[[], bool]) -> None:
    """Let other tasks run until `condition` holds."""
    with anyio.fail_after(5):
        while not condition():
            await checkpoint()


@asynccontextmanager
async def running(harness: Harness, *args: Any, **options: Any) -> AsyncGenerator[list[Result]]:
    """A call in a task of its own; its result is in the list once the block has ended."""
    results: list[Result] = []

    async def call() -> None:
        results.append(await harness.call(*args, **options))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            yield results


# --- before the body -----------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 8.2", "PIPELINE 8.4")
async def test_an_already_cancelled_call_skips_policy_and_body_and_publishes_once(
    harness: Harness,
) -> None:
    seen: list[str] = []
    harness.add("tool", echo)
    for kind in ("pre", "guard", "post"):
        harness.registry.root.add(kind, noting(kind, seen))
    harness.registry.root.add("observer", noting("observer", seen))
    source = CancelSource()
    source.cancel("the user left")
    async with harness.open():
        result = await harness.call("tool", {"a": 1}, signal=source.signal)
    assert seen == ["observer"]
    assert result.code == "ABORTED_BEFORE_DISPATCH"
    assert result.arguments == {"a": 1}
    assert "the user left" in result.text


@pytest.mark.spec("PIPELINE 8.2")
async def test_an_argument_failure_wins_over_a_cancellation(harness: Harness) -> None:
    harness.add("tool", echo)
    source = CancelSource()
    source.cancel()
    async with harness.open():
        assert (await harness.call("tool", "nope", signal=source.signal)).code == "INVALID_ARGS"


@pytest.mark.spec("PIPELINE 8.1", "PIPELINE 8.4")
@pytest.mark.parametrize("kind", ["pre", "guard"])
async def test_a_cancellation_in_a_hook_before_the_body_aborts_before_dispatch(
    harness: Harness, kind: Any
) -> None:
    source = CancelSource()
    harness.add("tool", echo)
    harness.registry.root.add(kind, lambda execution: source.cancel())
    async with harness.open():
        result = await harness.call("tool", signal=source.signal)
    assert result.code == "ABORTED_BEFORE_DISPATCH"
    assert result.error_info is not None
    assert not result.error_info.body_started


@pytest.mark.spec("PIPELINE 8.1")
async def test_a_denial_keeps_its_own_outcome_under_a_cancelled_caller(harness: Harness) -> None:
    source = CancelSource()

    def deny(execution: Any) -> Deny:
        source.cancel()
        return Deny("no")

    harness.add("tool", echo)
    harness.registry.root.add("pre", deny)
    async with harness.open():
        assert (await harness.call("tool", signal=source.signal)).code == "DENIED"


@pytest.mark.spec("PIPELINE 8.1", "PIPELINE 7.3")
async def test_an_approval_cancelled_by_the_caller_aborts_before_dispatch(harness: Harness) -> None:
    source = CancelSource()

    class Waiting:
        async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
            source.cancel("changed my mind")
            await anyio.sleep_forever()
            raise AssertionError("unreachable")

    harness.add("tool", echo)
    harness.registry.root.add("pre", lambda execution: Ask("sure?"))
    async with harness.open(approval=Waiting()):
        result = await harness.call("tool", signal=source.signal)
    assert result.code == "ABORTED_BEFORE_DISPATCH"
    assert harness.kinds()[-2:] == ["approval/asked", "approval/decided"]
    assert harness.events[-1][1]["outcome"] == "cancelled"


# --- in the body ---------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 8.1", "PIPELINE 8.3")
async def test_a_cancelled_body_ends_and_the_call_is_aborted(harness: Harness) -> None:
    source = CancelSource()
    ended: list[str] = []

    async def body(arguments: Any, run: RunContext) -> None:
        run.defer_context("kept")
        try:
            source.cancel("enough")
            await anyio.sleep_forever()
        finally:
            ended.append(run.signal.reason or "")

    harness.add("tool", body)
    async with harness.open():
        result = await harness.call("tool", signal=source.signal)
    assert ended == ["enough"]
    assert result.code == "ABORTED"
    assert result.error_info is not None
    assert result.error_info.body_started
    assert len(result.contexts) == 1
    assert source.signal.listener_count == 0


@pytest.mark.spec("PIPELINE 8.1")
@pytest.mark.parametrize("code", ["ROW_MISSING", "TOOL_ERROR"])
async def test_a_tool_failure_keeps_its_own_outcome_under_a_cancelled_caller(
    harness: Harness, code: str
) -> None:
    source = CancelSource()

    async def body(arguments: Any, run: RunContext) -> None:
        source.cancel()
        raise ToolError("own failure", code)

    harness.add("tool", body)
    async with harness.open():
        assert (await harness.call("tool", signal=source.signal)).code == code


@pytest.mark.spec("PIPELINE 8.1", "PIPELINE 8.4")
async def test_a_cancellation_replaces_a_success_and_its_value_stays_known(
    harness: Harness,
) -> None:
    source = CancelSource()

    async def body(arguments: Any, run: RunContext) -> int:
        source.cancel()
        return 1

    harness.add("tool", body)
    async with harness.open():
        result = await harness.call("tool", signal=source.signal)
    assert result.code == "ABORTED"
    assert result.value is None
    assert result.body_value_sha256 is not None


@pytest.mark.spec("PIPELINE 8.4")
async def test_the_signal_is_checked_after_post_execute(harness: Harness) -> None:
    source = CancelSource()

    def post(*_: object) -> Accept:
        source.cancel()
        return Accept(value=2)

    harness.add("tool", echo)
    harness.registry.root.add("post", post)
    async with harness.open():
        assert (await harness.call("tool", signal=source.signal)).code == "ABORTED"


@pytest.mark.spec("PIPELINE 8.1")
async def test_a_block_keeps_its_own_outcome_under_a_cancelled_caller(harness: Harness) -> None:
    source = CancelSource()

    def post(*_: object) -> Block:
        source.cancel()
        return Block(feedback="blocked")

    harness.add("tool", echo)
    harness.registry.root.add("post", post)
    async with harness.open():
        assert (await harness.call("tool", signal=source.signal)).code == "DENIED"


# --- wrappers and signals ------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 6.5")
async def test_a_wrapper_that_shields_itself_cannot_sever_the_caller(harness: Harness) -> None:
    source = CancelSource()

    async def shielding(around: Around, call_next: CallNext) -> BodyOutcome:
        around.signal = CancelSource().signal
        with anyio.CancelScope(shield=True):
            return await call_next()
        raise AssertionError("nobody cancels this scope")

    async def body(arguments: Any, run: RunContext) -> None:
        source.cancel("the caller")
        await anyio.sleep_forever()

    harness.add("tool", body)
    harness.registry.root.add("wrapper", shielding)
    async with harness.open():
        with anyio.fail_after(5):
            result = await harness.call("tool", signal=source.signal)
    assert result.code == "ABORTED"


@pytest.mark.spec("PIPELINE 6.5")
async def test_a_wrappers_signal_ends_the_body_and_its_view_is_restored(harness: Harness) -> None:
    caller = CancelSource()
    views: list[Any] = []

    async def outer(around: Any, call_next: Any) -> BodyOutcome:
        views.append(around)
        around.signal = (own := CancelSource()).signal
        own.cancel("the wrapper")
        outcome: BodyOutcome = await call_next()
        return outcome

    async def inner(around: Any, call_next: Any) -> BodyOutcome:
        views.append(around)
        assert around.signal.reason == "the wrapper"
        outcome: BodyOutcome = await call_next()
        return outcome

    harness.add("tool", echo)
    harness.registry.root.add("wrapper", outer)
    harness.registry.root.add("wrapper", inner)
    async with harness.open():
        result = await harness.call("tool", signal=caller.signal)
    assert result.code == "ABORTED_BEFORE_DISPATCH"
    assert views[0].signal is caller.signal
    assert caller.signal.listener_count == 0


# --- the calling task ----------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 6.19")
@pytest.mark.parametrize("where", ["pre", "body", "wrapper", "post"])
async def test_a_cancelled_task_settles_and_publishes_before_it_raises(
    harness: Harness, where: Any
) -> None:
    published: list[Result] = []
    finalised: list[int] = []
    scope = anyio.CancelScope()

    async def stuck(*_: object) -> Any:
        scope.cancel()
        await anyio.sleep_forever()

    async def body(arguments: Any, run: RunContext) -> Any:
        return await stuck() if where == "body" else 1

    harness.add("tool", body, finalize_content=lambda *_: finalised.append(1))
    if where != "body":
        harness.registry.root.add(where, stuck)
    harness.registry.root.add("observer", lambda execution, result: published.append(result))
    async with harness.open():
        returned = False
        with anyio.fail_after(5), scope:
            await harness.call("tool")
            returned = True
    assert not returned
    assert scope.cancelled_caught
    assert finalised == [1]
    assert [result.code for result in published] == [
        "ABORTED_BEFORE_DISPATCH" if where in ("pre", "wrapper") else "ABORTED"
    ]


@pytest.mark.spec("PIPELINE 6.19")
async def test_post_execute_still_runs_for_a_cancelled_task_and_is_bounded(
    harness: Harness,
) -> None:
    published: list[Result] = []
    posts: list[str] = []
    scope = anyio.CancelScope()

    async def body(arguments: Any, run: RunContext) -> None:
        scope.cancel()
        await anyio.sleep_forever()

    async def post(*_: object) -> None:
        posts.append("began")
        await anyio.sleep_forever()

    harness.add("tool", body)
    harness.registry.root.add("post", post)
    harness.registry.root.add("observer", lambda execution, result: published.append(result))
    async with harness.open(drain_s=5), anyio.create_task_group() as tasks:

        async def call() -> None:
            with scope:
                await harness.call("tool")

        tasks.start_soon(call)
        await settled(lambda: bool(posts))
        harness.clock.advance(6)
        await settled(lambda: bool(published))
    assert published[0].code == "ABORTED"


# --- the drain deadline --------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 8.3", "CODE_MODE 5.3")
async def test_a_body_that_will_not_end_is_left_at_the_drain_deadline_and_told_of_late(
    harness: Harness,
) -> None:
    source = CancelSource()
    release = anyio.Event()

    async def stubborn(arguments: Any, run: RunContext) -> int:
        with anyio.CancelScope(shield=True):
            source.cancel()
            await release.wait()
        return 7

    harness.add("tool", stubborn)
    async with harness.open(drain_s=5):
        async with running(harness, "tool", signal=source.signal) as results:
            await settled(lambda: harness.clock.sleepers == 1)
            harness.clock.advance(4.9)
            await checkpoint()
            assert results == []
            harness.clock.advance(0.2)
        assert results[0].code == "UNKNOWN_OUTCOME"
        assert results[0].error_info is not None
        assert results[0].error_info.body_started
        assert harness.late == []
        release.set()
        await settled(lambda: bool(harness.late))
    assert harness.late[0].call_id == results[0].call_id


@pytest.mark.spec("PIPELINE 8.3")
async def test_settling_a_call_whose_inline_body_runs_gives_it_up(harness: Harness) -> None:
    release = anyio.Event()
    entered = anyio.Event()

    async def stubborn(arguments: Any, run: RunContext) -> int:
        with anyio.CancelScope(shield=True):
            entered.set()
            await release.wait()
        return 7

    harness.add("tool", stubborn)
    async with harness.open() as pipeline:
        pending = pipeline.begin(harness.request("tool"))
        await pipeline.prepare(pending)
        results: list[Result] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pipeline.run_body, pending)
            await entered.wait()
            results.append(await pipeline.settle(pending))
            assert results[0].code == "UNKNOWN_OUTCOME"
            release.set()
    assert [late.call_id for late in harness.late] == [results[0].call_id]
    assert await pipeline.settle(pending) is results[0]


@pytest.mark.spec("PIPELINE 8.5", "PIPELINE 8.3")
async def test_a_sync_handler_past_its_time_is_left_at_the_drain_deadline(harness: Harness) -> None:
    release = threading.Event()
    entered = threading.Event()

    def slow(arguments: Any, run: RunContext) -> int:
        entered.set()
        release.wait(10)
        return 9

    harness.add("tool", slow, timeout_s=1.0)
    try:
        async with harness.open(drain_s=5, max_threads=1):
            async with running(harness, "tool") as results:
                await settled(lambda: entered.is_set() and harness.clock.sleepers == 1)
                harness.clock.advance(1)
                await settled(lambda: harness.clock.sleepers >= 1 and harness.clock.now() == 1001)
                await _advance_until(harness, lambda: bool(results))
            assert results[0].code == "UNKNOWN_OUTCOME"
            assert harness.late == []
            release.set()
            await settled(lambda: bool(harness.late))
            assert harness.late[0].outcome == "ok"
            assert (await harness.call("tool")).value == 9
    finally:
        release.set()


async def _advance_until(harness: Harness, condition: Callable[[], bool]) -> None:
    with anyio.fail_after(5):
        while not condition():
            harness.clock.advance(1)
            await checkpoint()


@pytest.mark.spec("PIPELINE 8.5")
async def test_the_tool_timeout_is_enforced_and_only_its_own_timer_gives_that_outcome(
    harness: Harness,
) -> None:
    entered: list[RunContext] = []
    seen: list[str] = []

    async def slow(arguments: Any, run: RunContext) -> None:
        entered.append(run)
        try:
            await anyio.sleep_forever()
        finally:
            seen.append(run.signal.reason or "")

    harness.add("tool", slow, timeout_s=2)
    source = CancelSource()
    async with harness.open():
        async with running(harness, "tool") as results:
            await settled(lambda: harness.clock.sleepers == 1)
            harness.clock.advance(2)
        assert results[0].code == "TOOL_TIMEOUT"
        assert seen == ["tool took longer than 2 s"]
        async with running(harness, "tool", signal=source.signal) as results:
            await settled(lambda: len(entered) == 2)
            source.cancel("the caller")
        assert results[0].code == "ABORTED"


@pytest.mark.spec("PIPELINE 8.5")
async def test_a_cooperative_sync_handler_sees_its_timeout(harness: Harness) -> None:
    entered = threading.Event()

    def slow(arguments: Any, run: RunContext) -> None:
        entered.set()
        while True:
            run.signal.raise_if_cancelled()

    harness.add("tool", slow, timeout_s=2)
    async with harness.open():
        async with running(harness, "tool") as results:
            await settled(lambda: entered.is_set() and harness.clock.sleepers >= 1)
            harness.clock.advance(2)
        assert results[0].code == "TOOL_TIMEOUT"


async def test_closing_the_pipeline_ends_what_still_runs(harness: Harness) -> None:
    published: list[Result] = []
    entered = anyio.Event()

    async def body(arguments: Any, run: RunContext) -> None:
        entered.set()
        await anyio.sleep_forever()

    harness.add("tool", body)
    harness.registry.root.add("observer", lambda execution, result: published.append(result))
    pipeline = harness.open()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks, pipeline:
            tasks.start_soon(harness.call, "tool")
            await entered.wait()
    assert [result.code for result in published] == ["ABORTED"]


# --- signals themselves --------------------------------------------------------------------------


def test_a_signal_fires_once_and_keeps_its_first_reason() -> None:
    source = CancelSource()
    fired: list[int] = []
    dispose = source.signal.subscribe(lambda: fired.append(1))
    source.signal.subscribe(lambda: fired.append(2))
    dispose()
    source.cancel("first")
    source.cancel("second")
    source.signal.subscribe(lambda: fired.append(3))
    assert fired == [2, 3]
    assert source.signal.reason == "first"
    with pytest.raises(ToolError, match="first"):
        source.signal.raise_if_cancelled()


async def test_waiting_for_a_signal_ends_when_it_fires() -> None:
    source = CancelSource()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(source.signal.wait)
        await settled(lambda: source.signal.listener_count == 1)
        source.cancel()
    await source.signal.wait()
    assert isinstance(source.signal, CancelSignal)
    assert source.signal.listener_count == 0
    assert Allow() == Allow()


@pytest.mark.spec("PIPELINE 8.5")
async def test_a_success_after_the_timer_fired_is_a_timeout_and_a_failure_keeps_its_own(
    harness: Harness,
) -> None:
    entered: list[bool] = []

    async def late(arguments: Any, run: RunContext) -> int:
        entered.append(arguments["fail"])
        with anyio.CancelScope(shield=True):
            await run.signal.wait()
        if arguments["fail"]:
            raise ToolError("own", "ROW_MISSING")
        return 1

    harness.add("tool", late, timeout_s=2)
    async with harness.open():
        for number, code in enumerate(("TOOL_TIMEOUT", "ROW_MISSING")):
            async with running(harness, "tool", {"fail": number == 1}) as results:
                await settled(lambda: bool(entered))
                entered.clear()
                harness.clock.advance(2)
            assert results[0].code == code


@pytest.mark.spec("PIPELINE 8.1", "CODE_MODE 5.2")
async def test_a_sync_success_within_the_drain_deadline_of_a_cancelled_call_stays_known(
    harness: Harness,
) -> None:
    source = CancelSource()
    entered, release = threading.Event(), threading.Event()

    def slow(arguments: Any, run: RunContext) -> int:
        entered.set()
        release.wait(10)
        return 9

    harness.add("tool", slow)
    try:
        async with harness.open():
            async with running(harness, "tool", signal=source.signal) as results:
                await settled(entered.is_set)
                source.cancel()
                await checkpoint()
                release.set()
            assert results[0].code == "ABORTED"
            assert results[0].body_value_sha256 is not None
    finally:
        release.set()


@pytest.mark.spec("PIPELINE 6.13")
@pytest.mark.parametrize("is_async", [True, False])
async def test_a_tool_that_tries_to_exit_is_a_failed_tool(harness: Harness, is_async: bool) -> None:
    async def leave(arguments: Any, run: RunContext) -> None:
        raise SystemExit(3)

    def leave_thread(arguments: Any, run: RunContext) -> None:
        raise SystemExit(3)

    harness.add("tool", leave if is_async else leave_thread)
    async with harness.open():
        result = await harness.call("tool")
    assert result.text == "Error: the tool tried to end the process"
