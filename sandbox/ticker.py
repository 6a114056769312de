"""The one timer of a guest, on the host's clock: a task at most, however often it is set."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import anyio
from anyio.abc import TaskGroup


class Ticker:
    """Says when the timer that was set last is due.

    Args:
        tasks: Where its task lives, from the first timer that is not due at once until `close`.
        tick: Is told the number of the timer.
    """

    __slots__ = ("_alarm", "_due", "_is_closed", "_number", "_tasks", "_tick")

    def __init__(self, tasks: TaskGroup, tick: Callable[[int], None]) -> None:
        self._tasks: Final = tasks
        self._tick: Final = tick
        self._alarm: anyio.CancelScope | None = None
        self._due = math.inf
        self._number = 0
        self._is_closed = False

    def set(self, number: int, seconds: float) -> None:
        """Replace the timer."""
        if seconds == 0:
            self._due = math.inf
            self._tick(number)
            return
        self._number, self._due = number, anyio.current_time() + seconds
        if self._alarm is None:
            self._alarm = anyio.CancelScope()
            self._tasks.start_soon(self._run)
        self._alarm.deadline = self._due

    def close(self) -> None:
        """Forget the timer, and end the task."""
        self._is_closed = True
        if self._alarm is not None:
            self._alarm.cancel()

    async def _run(self) -> None:
        while self._alarm is not None:
            with self._alarm:
                await anyio.sleep_forever()
            if self._is_closed:
                return
            self._alarm = anyio.CancelScope(deadline=self._due)
            if self._due <= anyio.current_time():  # else it was replaced at the last moment
                self._alarm.deadline = self._due = math.inf
                self._tick(self._number)
