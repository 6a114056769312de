"""Time as a seam: the real clock, and a fake one that tests move by hand.

This is the only module of the runtime that may use anyio's own deadlines, which ignore a fake
clock. A timer's callback runs in the event loop's thread.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

import anyio
from anyio import CancelScope


class Clock(Protocol):
    """Now, sleeping, and deadlines."""

    def now(self) -> float:
        """Seconds on a monotonic scale."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""
        ...

    def move_on_after(self, seconds: float | None) -> AbstractContextManager[CancelScope]:
        """A scope that is cancelled after `seconds`; None never is."""
        ...

    def fail_after(self, seconds: float | None) -> AbstractContextManager[CancelScope]:
        """The same, and `TimeoutError` when its deadline was the reason."""
        ...


class SystemClock:
    """The event loop's own clock."""

    def now(self) -> float:
        """Seconds on the loop's monotonic scale."""
        return anyio.current_time()

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""
        await anyio.sleep(seconds)

    def move_on_after(self, seconds: float | None) -> AbstractContextManager[CancelScope]:
        """A scope that is cancelled after `seconds`."""
        return anyio.move_on_after(seconds)

    def fail_after(self, seconds: float | None) -> AbstractContextManager[CancelScope]:
        """The same, and `TimeoutError` when its deadline was the reason."""
        return anyio.fail_after(seconds)


class FakeClock:
    """Stands still until `advance` is called."""

    def __init__(self, start: float = 1_000.0) -> None:
        self._now = start
        self._order = 0
        self._timers: list[tuple[float, int, Callable[[], None]]] = []

    def now(self) -> float:
        """Seconds, as advanced."""
        return self._now

    @property
    def sleepers(self) -> int:
        """How many deadlines and sleeps are pending."""
        return len(self._timers)

    async def sleep(self, seconds: float) -> None:
        """Return when the clock has been advanced by `seconds`."""
        woken = anyio.Event()
        timer = self._at(self._now + seconds, woken.set)
        try:
            await woken.wait()
        finally:
            self._drop(timer)

    @contextmanager
    def move_on_after(self, seconds: float | None) -> Generator[CancelScope]:
        """A scope that is cancelled when the clock has been advanced by `seconds`."""
        with CancelScope() as scope:
            if seconds is None:
                yield scope
                return
            timer = self._at(self._now + seconds, scope.cancel)
            try:
                yield scope
            finally:
                self._drop(timer)

    @contextmanager
    def fail_after(self, seconds: float | None) -> Generator[CancelScope]:
        """The same, and `TimeoutError` when the scope was cancelled."""
        with self.move_on_after(seconds) as scope:
            yield scope
        if scope.cancelled_caught:
            raise TimeoutError

    def advance(self, seconds: float) -> None:
        """Move the clock, firing what falls due in order of time."""
        target = self._now + seconds
        while self._timers and self._timers[0][0] <= target:
            due, _, callback = heapq.heappop(self._timers)
            self._now = max(self._now, due)
            callback()
        self._now = target

    def _at(
        self, due: float, callback: Callable[[], None]
    ) -> tuple[float, int, Callable[[], None]]:
        self._order += 1
        timer = (due, self._order, callback)
        if due <= self._now:
            callback()
        else:
            heapq.heappush(self._timers, timer)
        return timer

    def _drop(self, timer: tuple[float, int, Callable[[], None]]) -> None:
        if timer in self._timers:
            self._timers.remove(timer)
            heapq.heapify(self._timers)
