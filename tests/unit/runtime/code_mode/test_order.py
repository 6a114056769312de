from __future__ import annotations

import anyio
import pytest

from codemode.runtime.code_mode.order import StartOrder, Ticket

pytestmark = pytest.mark.anyio


class Body:
    """A call whose body ends when the test says so."""

    def __init__(self, ticket: Ticket, name: str, log: list[str], *, safe: bool) -> None:
        self.end = anyio.Event()
        self.policy = anyio.Event()
        self.policy.set()
        self._ticket, self._name, self._log, self._safe = ticket, name, log, safe

    async def run(self) -> None:
        try:
            await self._ticket.enter(lambda: self._safe)
            self._log.append(f"policy {self._name}")
            await self.policy.wait()
            self._ticket.pass_on()
            self._log.append(f"body {self._name}")
            await self.end.wait()
            self._log.append(f"settled {self._name}")
        finally:
            self._ticket.leave()


async def settle() -> None:
    await anyio.wait_all_tasks_blocked()


@pytest.mark.spec("CODE_MODE 3.5", "PIPELINE 10.2")
async def test_safe_calls_overlap_up_to_the_limit_and_start_in_order() -> None:
    log: list[str] = []
    order = StartOrder(2)
    bodies = [Body(order.ticket(), name, log, safe=True) for name in "abc"]
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for body in reversed(bodies):
                tasks.start_soon(body.run)
            await settle()
            assert log == ["policy a", "body a", "policy b", "body b"]
            bodies[1].end.set()
            await settle()
            assert log[4:] == ["settled b", "policy c", "body c"]
            for body in bodies:
                body.end.set()


@pytest.mark.spec("CODE_MODE 3.5", "PIPELINE 10.2")
async def test_an_exclusive_call_drains_the_pool_runs_alone_and_bars_later_calls() -> None:
    log: list[str] = []
    order = StartOrder(10)
    a = Body(order.ticket(), "a", log, safe=True)
    b = Body(order.ticket(), "b", log, safe=False)
    c = Body(order.ticket(), "c", log, safe=True)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for body in (c, b, a):
                tasks.start_soon(body.run)
            await settle()
            assert log == ["policy a", "body a"]
            a.end.set()
            await settle()
            assert log[2:] == ["settled a", "policy b", "body b"]
            b.end.set()
            await settle()
            assert log[5:] == ["settled b", "policy c", "body c"]
            c.end.set()


@pytest.mark.spec("CODE_MODE 3.6", "PIPELINE 10.6")
async def test_a_call_that_waits_in_its_policies_does_not_hold_back_settled_siblings() -> None:
    log: list[str] = []
    order = StartOrder(10)
    a = Body(order.ticket(), "a", log, safe=True)
    b = Body(order.ticket(), "b", log, safe=True)
    c = Body(order.ticket(), "c", log, safe=True)
    b.policy = anyio.Event()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for body in (a, b, c):
                tasks.start_soon(body.run)
            await settle()
            a.end.set()
            await settle()
            assert log == ["policy a", "body a", "policy b", "settled a"]
            b.policy.set()
            b.end.set()
            c.end.set()


async def test_a_queued_call_that_is_cancelled_gives_its_place_to_the_next() -> None:
    log: list[str] = []
    order = StartOrder(1)
    a = Body(order.ticket(), "a", log, safe=True)
    b = Body(order.ticket(), "b", log, safe=True)
    c = Body(order.ticket(), "c", log, safe=True)
    scope = anyio.CancelScope()

    async def cancellable() -> None:
        with scope:
            await b.run()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(a.run)
            tasks.start_soon(cancellable)
            tasks.start_soon(c.run)
            await settle()
            scope.cancel()
            a.end.set()
            c.end.set()
    assert [line for line in log if line.startswith("body")] == ["body a", "body c"]
    assert not order.queue
    assert order.running == 0
