"""A hook's own failure is named, and is its call's: whatever it throws, nothing else ends."""

from __future__ import annotations

import asyncio  # noqa: TID251 - a host's own task is cancelled here
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from pipeline_harness import Harness

from codemode.runtime.approval import ApprovalOutcome, ApprovalRequest
from codemode.runtime.policy import Ask, BodyOutcome, Deny, HookKind
from codemode.runtime.result import Result

pytestmark = pytest.mark.anyio

on_asyncio = pytest.mark.parametrize("anyio_backend", ["asyncio"])


async def body(arguments: Any, run: Any) -> int:
    return 1


def throwing(error: Callable[[], BaseException], *, is_async: bool) -> Callable[..., Any]:
    """A hook of any kind that throws."""

    async def bad(*_: Any) -> Any:
        raise error()

    def sync_bad(*_: Any) -> Any:
        raise error()

    sync_bad.__name__ = "bad"
    return bad if is_async else sync_bad


async def called(harness: Harness, kind: HookKind, hook: Any, **options: Any) -> Result:
    """The result of a call under the hook; the next call, without it, is a success."""
    harness.add("tool", body)
    dispose = harness.registry.root.add(kind, hook)
    async with harness.open(**options):
        with anyio.fail_after(5):
            result = await harness.call("tool")
            dispose()
            assert (await harness.call("tool")).value == 1
    return result


EVERY: list[tuple[HookKind, bool, str]] = [
    ("pre", False, "policy"),
    ("pre", True, "policy"),
    ("guard", False, "guard"),
    ("wrapper", True, "wrapper"),
    ("post", False, "post-execute policy"),
    ("post", True, "post-execute policy"),
]


@pytest.mark.spec("PIPELINE 6.3", "PIPELINE 6.6")
@pytest.mark.parametrize(("kind", "is_async", "who"), EVERY)
async def test_who_failed_and_how_is_said(
    harness: Harness, kind: HookKind, is_async: bool, who: str
) -> None:
    hook = throwing(lambda: KeyError("plum"), is_async=is_async)
    result = await called(harness, kind, hook)
    assert result.code == "PIPELINE_FAILURE"
    assert result.text == f"Error: the call failed because the {who} bad failed: KeyError: 'plum'"
    assert result.error_info is not None
    assert result.error_info.name == "KeyError"


@pytest.mark.spec("PIPELINE 6.3", "PIPELINE 6.6")
@pytest.mark.parametrize(("kind", "is_async", "who"), EVERY)
async def test_a_hook_that_tries_to_end_the_process_fails_its_call(
    harness: Harness, kind: HookKind, is_async: bool, who: str
) -> None:
    result = await called(harness, kind, throwing(lambda: SystemExit(3), is_async=is_async))
    said = f"the call failed because the {who} bad failed: it tried to end the process"
    assert result.text == f"Error: {said}"


@on_asyncio
@pytest.mark.spec("PIPELINE 6.3", "PIPELINE 8.1")
@pytest.mark.parametrize(("kind", "is_async", "who"), EVERY)
async def test_a_hook_that_awaited_something_cancelled_fails_its_call(
    harness: Harness, kind: HookKind, is_async: bool, who: str
) -> None:
    hook = throwing(asyncio.CancelledError, is_async=is_async)
    result = await called(harness, kind, hook)
    assert result.code == "PIPELINE_FAILURE"
    assert f"the {who} bad failed: something that it waited for was cancelled" in result.text


@pytest.mark.spec("PIPELINE 6.12")
@pytest.mark.parametrize("error", [SystemExit, ValueError])
async def test_an_observer_that_throws_anything_is_contained(
    harness: Harness, error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    result = await called(harness, "observer", throwing(error, is_async=False))
    assert result.value == 1
    assert "observer bad failed" in caplog.text


async def test_an_outer_wrapper_sees_what_the_inner_one_threw(harness: Harness) -> None:
    seen: list[BaseException] = []

    async def outer(around: Any, call_next: Callable[[], Awaitable[BodyOutcome]]) -> BodyOutcome:
        try:
            return await call_next()
        except ValueError as error:
            seen.append(error)
            raise

    harness.registry.root.add("wrapper", outer)
    result = await called(harness, "wrapper", throwing(ValueError, is_async=True))
    assert [type(error) for error in seen] == [ValueError]
    assert "the wrapper bad failed" in result.text


@pytest.mark.spec("PIPELINE 8.1")
async def test_a_cancellation_that_was_asked_for_is_no_failure(harness: Harness) -> None:
    entered = anyio.Event()

    async def slow(*_: Any) -> None:
        entered.set()
        await anyio.sleep_forever()

    harness.add("tool", body)
    harness.registry.root.add("pre", slow)
    ended: list[str] = []
    async with harness.open(), anyio.create_task_group() as tasks:

        async def call() -> None:
            try:
                await harness.call("tool")
            except anyio.get_cancelled_exc_class():
                ended.append("cancelled")
                raise

        tasks.start_soon(call)
        with anyio.fail_after(5):
            await entered.wait()
        tasks.cancel_scope.cancel()
    assert ended == ["cancelled"]


class Broken:
    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        raise SystemExit(1)


class Blocking:
    def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        return ApprovalOutcome(answer="allowed", by="x")


class Wordy:
    async def ask(self, request: ApprovalRequest) -> str:
        return "yes"


class Misspelt:
    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        return ApprovalOutcome(answer="yes", by="x")  # type: ignore[arg-type]


@pytest.mark.spec("PIPELINE 7.1")
@pytest.mark.parametrize(
    ("channel", "code", "says"),
    [
        (Broken(), "PIPELINE_FAILURE", "the approval channel Broken failed: it tried to end"),
        (Blocking(), "PIPELINE_FAILURE", "Blocking.ask must be an async method"),
        (Wordy(), "APPROVAL_UNAVAILABLE", "the channel answered str, not an ApprovalOutcome"),
        (Misspelt(), "APPROVAL_UNAVAILABLE", "'yes' is none of allowed, cancelled, rejected"),
    ],
)
async def test_a_channel_that_breaks_its_contract_denies_and_is_told_so(
    harness: Harness, channel: Any, code: str, says: str
) -> None:
    result = await called(harness, "pre", lambda execution: Ask("sure?"), approval=channel)
    assert result.code == code
    assert says in result.text
    asked = [event for event in harness.events if event[0].startswith("approval/")]
    assert [kind for kind, _ in asked] == ["approval/asked", "approval/decided"]
    assert asked[1][1]["outcome"] == "unavailable"


async def test_a_denial_without_a_reason_still_says_something(harness: Harness) -> None:
    result = await called(harness, "pre", lambda execution: Deny(""))
    assert result.text == "Error: denied"
