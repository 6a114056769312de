"""The wrappers that ship: retry and rate limit (the timeout is tested with cancellation)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from pipeline_harness import Harness

from codemode.runtime.cancellation import CancelSource
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import RunContext
from codemode.runtime.policy import Deny
from codemode.runtime.result import Result
from codemode.runtime.wrappers import RateLimit, retry_wrapper

pytestmark = pytest.mark.anyio


class Flaky:
    """Fails a number of times, then gives how often it was entered."""

    def __init__(self, failures: int, code: str = "TOOL_ERROR") -> None:
        self.entered = 0
        self._failures = failures
        self._code = code

    async def __call__(self, arguments: Any, run: RunContext) -> int:
        self.entered += 1
        run.defer_context(f"attempt {self.entered}")
        if self.entered <= self._failures:
            run.conclude_turn()
            raise ToolError("not yet", self._code)
        return self.entered


async def advance_until(harness: Harness, condition: Callable[[], bool]) -> None:
    with anyio.fail_after(5):
        while not condition():
            harness.clock.advance(0.1)
            await checkpoint()


async def call(harness: Harness, *args: Any, **options: Any) -> Result:
    results: list[Result] = []

    async def run() -> None:
        results.append(await harness.call(*args, **options))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await advance_until(harness, lambda: bool(results))
    return results[0]


@pytest.mark.spec("PIPELINE 8.5")
async def test_an_idempotent_tool_is_tried_again_with_growing_waits(harness: Harness) -> None:
    flaky = Flaky(2)
    harness.add("tool", flaky, is_idempotent=True)
    harness.registry.root.add("wrapper", retry_wrapper(harness.clock, first_wait_s=1, factor=3))
    began = harness.clock.now()
    async with harness.open():
        result = await call(harness, "tool")
    assert result.value == 3
    assert harness.clock.now() - began >= 4
    assert len(result.contexts) == 3
    assert not result.concludes_turn


@pytest.mark.spec("PIPELINE 8.5")
@pytest.mark.parametrize(
    ("code", "is_idempotent"),
    [("TOOL_ERROR", False), ("ROW_MISSING", True), ("UNKNOWN_OUTCOME", True)],
)
async def test_nothing_else_is_tried_again(
    harness: Harness, code: str, is_idempotent: bool
) -> None:
    flaky = Flaky(1, code)
    harness.add("tool", flaky, is_idempotent=is_idempotent)
    harness.registry.root.add("wrapper", retry_wrapper(harness.clock))
    async with harness.open():
        result = await call(harness, "tool")
    assert flaky.entered == 1
    assert result.code == code


async def test_the_last_failure_stands_when_the_attempts_are_used_up(harness: Harness) -> None:
    flaky = Flaky(9)
    harness.add("tool", flaky, is_idempotent=True)
    harness.registry.root.add("wrapper", retry_wrapper(harness.clock, attempts=2))
    async with harness.open():
        result = await call(harness, "tool")
    assert flaky.entered == 2
    assert result.code == "TOOL_ERROR"


async def test_a_denied_call_is_not_retried(harness: Harness) -> None:
    flaky = Flaky(0)
    harness.add("tool", flaky, is_idempotent=True)
    harness.registry.root.add("wrapper", retry_wrapper(harness.clock))
    harness.registry.root.add("pre", lambda execution: Deny("no"))
    async with harness.open():
        await call(harness, "tool")
    assert flaky.entered == 0


async def test_a_cancelled_caller_ends_the_waiting_between_attempts(harness: Harness) -> None:
    source = CancelSource()
    flaky = Flaky(9)
    harness.add("tool", flaky, is_idempotent=True)
    harness.registry.root.add("wrapper", retry_wrapper(harness.clock))
    results: list[Result] = []

    async def run() -> None:
        results.append(await harness.call("tool", signal=source.signal))

    async with harness.open():
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                while harness.clock.sleepers == 0:
                    await checkpoint()
                source.cancel()
    assert results[0].code == "ABORTED"
    assert flaky.entered == 1


async def test_the_rate_limit_lets_a_burst_pass_and_makes_the_rest_wait(harness: Harness) -> None:
    limit = RateLimit(harness.clock, per_s=1, burst=2)
    harness.add("tool", Flaky(0))
    harness.registry.root.add("wrapper", limit)
    async with harness.open():
        for _ in range(2):
            assert not (await harness.call("tool")).is_error
        began = harness.clock.now()
        assert not (await call(harness, "tool")).is_error
    assert harness.clock.now() - began >= 1


async def test_a_call_that_would_wait_too_long_fails_and_says_when_to_come_again(
    harness: Harness,
) -> None:
    harness.add("tool", Flaky(0))
    harness.add("other", Flaky(0))
    harness.registry.root.add("wrapper", RateLimit(harness.clock, per_s=0.5, max_wait_s=0))
    async with harness.open():
        assert not (await harness.call("tool")).is_error
        refused = await harness.call("tool")
        assert not (await harness.call("other")).is_error
    assert refused.code == "LIMIT"
    assert "try again in 2.0 s" in refused.text


@pytest.mark.parametrize("options", [{"per_s": 0}, {"per_s": 1, "burst": 0}])
def test_a_rate_that_is_none_is_refused(harness: Harness, options: Any) -> None:
    with pytest.raises(ValueError):
        RateLimit(harness.clock, **options)
    with pytest.raises(ValueError):
        retry_wrapper(harness.clock, attempts=0)
