"""Ctrl-C and a polite kill while a program runs: the run is aborted, and says what it has done."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

import anyio

from codemode.runtime.cancellation import CancelSignal, CancelSource
from codemode.runtime.cli.output import complain
from codemode.sandbox.patience import leave

_TAKEN: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@asynccontextmanager
async def received(
    take: Callable[[signal.Signals], None], *numbers: signal.Signals
) -> AsyncGenerator[None]:
    """Have `take` called with each of those signals that comes while the block runs."""
    listening = anyio.Event()

    async def listen() -> None:
        with anyio.open_signal_receiver(*numbers) as signals:
            listening.set()
            async for number in signals:
                take(number)

    tasks = await anyio.create_task_group().__aenter__()
    tasks.start_soon(listen)
    await listening.wait()
    try:
        yield
    finally:
        await leave(tasks)


class Interrupts:
    """The signals that have come.

    Attributes:
        status: The exit status of an interrupted command, 0 as long as nothing came.
    """

    def __init__(self) -> None:
        self.status = 0
        self._source: Final = CancelSource()

    @property
    def end(self) -> CancelSignal:
        """Fires with the first one: for the run that is to be aborted."""
        return self._source.signal

    def taken(self) -> AbstractAsyncContextManager[None]:
        """Take the signals while the block runs, but those that whoever started us ignores."""
        numbers = [one for one in _TAKEN if signal.getsignal(one) is not signal.SIG_IGN]
        return received(self._take, *numbers)

    def _take(self, number: signal.Signals) -> None:
        """Abort the run; a second one ends the process as if nobody had listened."""
        if self.status:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self.status = 128 + number
        complain("interrupted: ending the run; once more ends it without waiting")
        self._source.cancel(f"interrupted by {number.name}")
