"""Who reads what a guest sends: the task of the run, or that of the call which came last.

A program mostly makes one call at a time. The task that runs such a call reads what comes next, and
runs that too: no task is made for it, and the event loop is not gone through in between. The run's
own task reads on when bytes come before a call has its answer, and when a call leaves something
behind in the context of its task. Where the event loop does not say that there are bytes, each call
has a task of its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import copy_context

import anyio

from codemode.sandbox.answer import Work
from codemode.sandbox.incoming import Incoming


class Reading:
    """The reading of one run, from its beginning to its end.

    Args:
        incoming: What comes; only `take_next` reads from it.
        take_next: Takes what comes until a call stands alone, and gives the way to its answer; None
            when the run is over.
    """

    def __init__(self, incoming: Incoming, take_next: Callable[[], Awaitable[Work | None]]) -> None:
        self._incoming = incoming
        self._take_next = take_next
        self._fault: Exception | None = None

    async def run(self) -> None:
        """Read until the run is over."""
        while (work := await self._take_next()) is not None:
            if not self._incoming.can_be_watched:
                work.start()
                continue
            back = anyio.Event()
            work.spawn(self._attend, work, back)
            await back.wait()
            if self._fault is not None:
                raise self._fault

    async def _attend(self, work: Work | None, back: anyio.Event) -> None:
        """Run a call and those that follow it, until somebody else is to read: `back` is set."""
        context = copy_context()
        try:
            while work is not None:
                self._incoming.watch(back.set)
                await work.run()
                if back.is_set():
                    return
                self._incoming.watch(None)
                await self._incoming.give_way()
                if copy_context() != context:
                    return
                work = await self._take_next()
        except Exception as error:
            if back.is_set():
                raise
            self._fault = error
        finally:
            back.set()
