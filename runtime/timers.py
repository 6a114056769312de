"""Deadlines without a task each: one task sleeps until the earliest, and calls back.

Setting and lifting a timer is synchronous and cheap. Callbacks run in the event loop and must not
block or throw.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Final

import anyio

from codemode.runtime.cancellation import Disposer
from codemode.runtime.clock import Clock

_MAX_LIFTED: Final = 256


class _Timer:
    __slots__ = ("callback", "due", "has_fired", "is_lifted")

    def __init__(self, due: float, callback: Callable[[], None]) -> None:
        self.due = due
        self.callback = callback
        self.is_lifted = False
        self.has_fired = False

    def __lt__(self, other: _Timer) -> bool:
        return self.due < other.due


class Timers:
    """All timers of one runtime; `run` must be running for any to fire."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[_Timer] = []
        self._lifted = 0
        self._changed = anyio.Event()

    def after(self, seconds: float, callback: Callable[[], None]) -> Disposer:
        """Call `callback` in `seconds`, unless it is lifted before."""
        timer = _Timer(self._clock.now() + seconds, callback)
        is_earliest = not self._heap or timer < self._heap[0]
        heapq.heappush(self._heap, timer)
        if is_earliest:
            self._changed.set()

        def lift() -> None:
            if not (timer.is_lifted or timer.has_fired):
                timer.is_lifted = True
                self._lifted += 1
                if self._lifted > _MAX_LIFTED and self._lifted * 2 > len(self._heap):
                    self._sweep()

        return lift

    async def run(self) -> None:
        """Serve until cancelled."""
        while True:
            self._changed = anyio.Event()
            wait = self._heap[0].due - self._clock.now() if self._heap else None
            if wait is None or wait > 0:
                with self._clock.move_on_after(wait):
                    await self._changed.wait()
            self._fire()

    def _fire(self) -> None:
        now = self._clock.now()
        while self._heap and (self._heap[0].is_lifted or self._heap[0].due <= now):
            timer = heapq.heappop(self._heap)
            if timer.is_lifted:
                self._lifted -= 1
                continue
            timer.has_fired = True
            timer.callback()

    def _sweep(self) -> None:
        """Drop the lifted timers, which a heap cannot do one by one."""
        self._heap = [timer for timer in self._heap if not timer.is_lifted]
        heapq.heapify(self._heap)
        self._lifted = 0
