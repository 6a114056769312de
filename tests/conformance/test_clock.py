"""The contract of `Clock`, which the system's clock and the fake one both pass."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from codemode.runtime.clock import Clock, FakeClock, SystemClock
from codemode.runtime.timers import Timers

pytestmark = pytest.mark.anyio


class Hand:
    """Moves a clock: the fake one by hand, the real one by letting it run."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock

    async def pass_by(self, seconds: float) -> None:
        if isinstance(self.clock, FakeClock):
            await checkpoint()
            self.clock.advance(seconds)
            await checkpoint()


@pytest.fixture(params=[SystemClock, FakeClock])
def hand(request: Any) -> Hand:
    return Hand(request.param())


async def test_now_is_monotonic(hand: Hand) -> None:
    first = hand.clock.now()
    await hand.pass_by(1)
    assert hand.clock.now() >= first


async def test_a_deadline_that_has_passed_cancels_its_scope(hand: Hand) -> None:
    with anyio.fail_after(5):
        with hand.clock.move_on_after(0) as scope:
            await anyio.sleep_forever()
        assert scope.cancelled_caught
        with pytest.raises(TimeoutError), hand.clock.fail_after(0):
            await anyio.sleep_forever()


async def test_no_deadline_and_one_that_was_met_cancel_nothing(hand: Hand) -> None:
    for seconds in (None, 1_000):
        with hand.clock.move_on_after(seconds) as scope, hand.clock.fail_after(seconds):
            await checkpoint()
        assert not scope.cancel_called


async def test_sleepers_wake(hand: Hand) -> None:
    woken: list[float] = []

    async def sleeper(seconds: float) -> None:
        await hand.clock.sleep(seconds)
        woken.append(seconds)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for seconds in (0.002, 0.001):
                tasks.start_soon(sleeper, seconds)
            await checkpoint()
            await hand.pass_by(0.001)
            await hand.pass_by(0.001)
    assert sorted(woken) == [0.001, 0.002]


async def test_a_cancelled_sleeper_leaves_nothing_behind(hand: Hand) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        await hand.clock.sleep(1_000)
    if isinstance(hand.clock, FakeClock):
        assert hand.clock.sleepers == 0


async def test_timers_fire_in_order_and_lifted_ones_do_not(hand: Hand) -> None:
    fired: list[str] = []
    done = anyio.Event()
    timers = Timers(hand.clock)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(timers.run)
            await checkpoint()
            timers.after(0.003, done.set)
            timers.after(0.002, lambda: fired.append("second"))
            timers.after(0.001, lambda: fired.append("first"))
            lift = timers.after(0.001, lambda: fired.append("lifted"))
            lift()
            lift()
            for _ in range(5):
                await hand.pass_by(0.001)
            await done.wait()
            tasks.cancel_scope.cancel()
    assert fired == ["first", "second"]


def test_lifted_timers_are_swept_away() -> None:
    timers = Timers(FakeClock())
    lifts = [timers.after(60, lambda: None) for _ in range(2_000)]
    for lift in lifts:
        lift()
    assert len(timers._heap) < 1_000
