"""The drain deadline of one body: what was asked to end and does not is not waited for any longer.

Costs nothing but a subscription until somebody asks. Says only that it is time; whoever settles the
call settles it as one of unknown outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from codemode.runtime.cancellation import Disposer
from codemode.runtime.pending import PendingCall
from codemode.runtime.timers import Timers


class DrainDeadline:
    """Watches one call from just before its body to its end.

    Args:
        on_stuck: Called at the deadline, for each time that the body was asked to end.
    """

    __slots__ = ("_drain_s", "_lifts", "_on_stuck", "_pending", "_timers")

    def __init__(
        self,
        pending: PendingCall,
        timers: Timers,
        drain_s: float,
        on_stuck: Callable[[], None],
    ) -> None:
        self._pending: Final = pending
        self._timers: Final = timers
        self._drain_s: Final = drain_s
        self._on_stuck: Final = on_stuck
        pending.on_asked = self._asked
        self._lifts: list[Disposer] = [pending.source.signal.subscribe(self._asked)]

    def lift(self) -> None:
        """The body has ended."""
        self._pending.on_asked = None
        for lift in self._lifts:
            lift()

    def _asked(self) -> None:
        attempt = self._pending.attempt
        self._lifts.append(self._timers.after(self._drain_s, lambda: self._due(attempt)))

    def _due(self, attempt: int) -> None:
        """A retry that began meanwhile was not asked; a wrapper is waited for no longer either."""
        pending = self._pending
        is_stuck = pending.is_body_running and pending.attempt == attempt
        if is_stuck or pending.source.signal.is_cancelled:
            self._on_stuck()
