"""A wait that nothing cuts short: for what must be known before a run may be said to be over.

anyio's shield holds off cancel scopes and not `asyncio.Task.cancel`, which a host without anyio
uses, and may use twice. Never waits longer than it was told to, and never swallows a cancellation.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable

import anyio


async def wait_out(wait: Callable[[], Awaitable[object]], *, at_most_s: float | None) -> None:
    """Wait, whatever is cancelled meanwhile; the first cancellation is raised when it is over.

    Args:
        wait: Makes the wait, again after each interruption: `Event.wait`.
        at_most_s: The longest wait in all; None: however long it takes.
    """
    deadline = math.inf if at_most_s is None else anyio.current_time() + at_most_s
    interruption: BaseException | None = None
    while True:
        try:
            with anyio.CancelScope(deadline=deadline, shield=True):
                await wait()
        except anyio.get_cancelled_exc_class() as error:
            interruption = interruption or error
        else:
            break
    if interruption is not None:
        raise interruption
