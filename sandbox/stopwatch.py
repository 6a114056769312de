"""The two wall clocks of a run: one stops while somebody waits for a person, one does not."""

from __future__ import annotations

import math

import anyio

from codemode.sandbox.limits import Limits


class Stopwatch:
    """Started when it is made, inside the event loop whose clock it reads."""

    __slots__ = ("_is_held", "_left_s", "_since", "_total_deadline", "_waited_s")

    def __init__(self, limits: Limits) -> None:
        self._since = anyio.current_time()
        self._total_deadline = self._since + limits.total_wall_s
        self._left_s = limits.wall_s
        self._waited_s = 0.0
        self._is_held = False

    def turn(self, *, is_held: bool) -> float:
        """Charge the time from now on to the program or to a person; gives the deadline."""
        self._book()
        self._is_held = is_held
        return min(math.inf if is_held else self._since + self._left_s, self._total_deadline)

    def stop(self) -> float:
        """Stop; gives the seconds that were waited for people."""
        self._book()
        return self._waited_s

    def passed(self) -> str:
        """The name of the limit whose deadline has come."""
        return "total_wall_s" if anyio.current_time() >= self._total_deadline else "wall_s"

    def _book(self) -> None:
        now = anyio.current_time()
        if self._is_held:
            self._waited_s += now - self._since
        else:
            self._left_s -= now - self._since
        self._since = now
