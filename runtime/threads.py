"""Sync bodies in worker threads: bounded, and given up when they outlast the drain deadline.

A thread cannot be stopped. It keeps its place in the limiter until it ends by itself; whoever waits
for it leaves at the deadline, and is told when it ends after all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

import anyio
import anyio.from_thread
import anyio.to_thread

from codemode.runtime.clock import Clock


class Job:
    """One function in one thread.

    Attributes:
        is_done: The function has returned or raised.
        is_given_up: Nobody waits any more.
        on_late: Called in the event loop when it ends after that.
    """

    __slots__ = (
        "_ended",
        "_has_begun",
        "_lock",
        "_release",
        "error",
        "function",
        "is_done",
        "is_given_up",
        "is_watched",
        "is_withdrawn",
        "on_late",
        "value",
    )

    def __init__(self, function: Callable[[], Any], on_late: Callable[[Job], None]) -> None:
        self.function: Final = function
        self.on_late: Final = on_late
        self.value: Any = None
        self.error: BaseException | None = None
        self.is_done = False
        self.is_given_up = False
        self._has_begun = False
        #: The waiter was cancelled before a thread had begun: the function is not called any more.
        self.is_withdrawn = False
        #: The waiter was cancelled: the end must be reported to the event loop.
        self.is_watched = False
        self._lock: Final = threading.Lock()
        self._ended: Final = anyio.Event()
        self._release: Callable[[], None] | None = None

    def work(self) -> None:
        """The thread's part."""
        with self._lock:
            if self.is_withdrawn:
                return
            self._has_begun = True
        try:
            self.value = self.function()
        except BaseException as error:  # noqa: BLE001 - the tool's code is called here; kept as data
            self.error = error
        with self._lock:
            self.is_done = True
            is_watched = self.is_watched
        if is_watched:
            try:
                anyio.from_thread.run_sync(self._report)
            except RuntimeError:
                return  # the event loop has ended: there is nobody left to tell

    def watch(self, release: Callable[[], None]) -> bool:
        """Ask to be told of the end; False when it has ended already, or will never begin."""
        with self._lock:
            if self.is_done:
                return False
            if not self._has_begun:
                # The event loop may have dropped it before a thread took it up.
                self.is_withdrawn = True
                return False
            self._release = release
            self.is_watched = True
            return True

    async def ended(self) -> None:
        """Return when a watched job has ended."""
        await self._ended.wait()

    def _report(self) -> None:
        self._ended.set()
        if self._release is not None:
            self._release()
        if self.is_given_up:
            self.on_late(self)


class Threads:
    """The worker threads of one runtime.

    Args:
        drain_s: How long a cancelled job is awaited.
        max_threads: Most jobs at once, those that were given up included.
    """

    def __init__(self, clock: Clock, *, drain_s: float, max_threads: int) -> None:
        self._clock = clock
        self._drain_s = drain_s
        self._places = anyio.CapacityLimiter(max_threads)
        # anyio's own limiter forgets abandoned threads, so places are counted here.
        self._unlimited = anyio.CapacityLimiter(float("inf"))

    async def run(self, job: Job) -> None:
        """Run `job`; its value or error is in it when this returns.

        A cancellation waits for the thread up to the drain deadline, then sets `is_given_up`; it is
        raised either way.
        """
        await self._places.acquire_on_behalf_of(job)
        is_held = True
        try:
            await anyio.to_thread.run_sync(
                job.work, abandon_on_cancel=True, limiter=self._unlimited
            )
        except anyio.get_cancelled_exc_class():
            if job.watch(lambda: self._places.release_on_behalf_of(job)):
                is_held = False
                with self._clock.move_on_after(self._drain_s) as scope:
                    scope.shield = True
                    await job.ended()
                job.is_given_up = not job.is_done
            raise
        finally:
            if is_held:
                self._places.release_on_behalf_of(job)
