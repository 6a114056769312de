"""When each nested call may start: submission order, a rolling pool, exclusive barriers.

Calls enter their policies one at a time in submission order. Concurrency-safe calls overlap in
their bodies up to a limit; an exclusive call waits until the pool is empty, runs alone, and bars
later calls until it has settled. Knows no tools: the caller says which calls are safe.
Source: spec CODE_MODE 3.5, 3.6; PIPELINE 10.6.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import anyio


class Ticket:
    """A place in the order, taken when the call is submitted."""

    __slots__ = ("_is_given_up", "_order", "_wake", "is_exclusive", "is_running")

    def __init__(self, order: StartOrder) -> None:
        self._order = order
        self._wake: anyio.Event | None = None
        self._is_given_up = False
        self.is_exclusive = False
        self.is_running = False

    async def enter(self, is_safe: Callable[[], bool]) -> bool:
        """Wait for this call's turn and for its room in the pool; then it counts as running.

        Args:
            is_safe: Whether the call may overlap others, judged just before the start.

        Returns:
            False when the call was given up meanwhile; it does not run then.
        """
        order = self._order
        while not self._is_given_up:
            if order.queue[0] is self:
                self.is_exclusive = not is_safe()
                if order.has_room(self.is_exclusive):
                    self.is_running = True
                    order.running += 1
                    return True
            await self._wait()
        return False

    def give_up(self) -> None:
        """The call is not to start any more."""
        self._is_given_up = True
        self.wake()

    def pass_on(self) -> None:
        """Its policies are done: the next call may enter, unless this one is exclusive."""
        if not self.is_exclusive:
            self._order.leave_queue(self)

    def leave(self) -> None:
        """The call has settled, or never started; idempotent."""
        order = self._order
        if self.is_running:
            self.is_running = False
            order.running -= 1
        order.leave_queue(self)
        order.wake_head()

    async def _wait(self) -> None:
        self._wake = anyio.Event()
        try:
            await self._wake.wait()
        finally:
            self._wake = None

    def wake(self) -> None:
        """Look again."""
        if self._wake is not None:
            self._wake.set()


class StartOrder:
    """The order of one run's calls.

    Args:
        limit: Most calls whose bodies overlap; 1 is serial.
    """

    def __init__(self, limit: int) -> None:
        self.queue: deque[Ticket] = deque()
        self.running = 0
        self._limit = limit

    def ticket(self) -> Ticket:
        """Take the next place. Synchronous, so that the order is that of submission."""
        ticket = Ticket(self)
        self.queue.append(ticket)
        return ticket

    def has_room(self, exclusive: bool) -> bool:
        """Whether a call may start now."""
        return self.running == 0 if exclusive else self.running < self._limit

    def leave_queue(self, ticket: Ticket) -> None:
        """Give the head of the queue to the next, or drop a ticket that waits further back."""
        if self.queue and self.queue[0] is ticket:
            self.queue.popleft()
            self.wake_head()
        elif ticket in self.queue:
            self.queue.remove(ticket)

    def wake_head(self) -> None:
        """Let the first in the queue look again."""
        if self.queue:
            self.queue[0].wake()
