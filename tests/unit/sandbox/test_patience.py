"""A wait that nothing cuts short, and that keeps every cancellation for its end."""

from __future__ import annotations

import asyncio  # noqa: TID251 - `Task.cancel` is what a host without anyio uses

import anyio
import anyio.lowlevel
import pytest

from codemode.sandbox.patience import wait_out


@pytest.mark.spec("CODE_MODE 5.1")
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_task_that_is_cancelled_twice_still_waits_to_the_end(anyio_backend: str) -> None:
    over = anyio.Event()
    heard: list[str] = []

    async def wait() -> None:
        try:
            await wait_out(over.wait, at_most_s=None)
        except asyncio.CancelledError:
            heard.append("cancelled")
            raise

    task = asyncio.get_running_loop().create_task(wait())
    with anyio.fail_after(5):
        for _ in range(2):
            await anyio.wait_all_tasks_blocked()
            task.cancel()
        await anyio.wait_all_tasks_blocked()
        assert not heard
        over.set()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert heard == ["cancelled"]


@pytest.mark.anyio
async def test_a_cancelled_scope_is_heard_after_the_wait() -> None:
    over = anyio.Event()
    heard: list[str] = []
    with anyio.fail_after(5), anyio.CancelScope() as scope:
        scope.cancel()
        over.set()
        await wait_out(over.wait, at_most_s=None)
        heard.append("waited")
        await anyio.lowlevel.checkpoint()
        heard.append("not here")
    assert heard == ["waited"]


@pytest.mark.anyio
async def test_the_longest_wait_ends_it() -> None:
    with anyio.fail_after(5):
        await wait_out(anyio.Event().wait, at_most_s=0)
