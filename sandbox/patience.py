"""Cancellations that nobody's scope has made: neither a wait nor a group of tasks ends by them.

anyio's shield holds off cancel scopes and not `asyncio.Task.cancel`, which a host without anyio
uses, and may use twice; and its groups take a child's cancellation for their own end, though a
handler needs only to await something that was cancelled to raise one. Never waits longer than told.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable

import anyio
from anyio.abc import TaskGroup


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


async def leave(tasks: TaskGroup) -> None:
    """End a group that was entered by hand: cancel what still runs in it, and wait for that.

    Groups are entered by hand where an error of the body's must not come out wrapped in one.
    """
    tasks.cancel_scope.cancel()
    await tasks.__aexit__(None, None, None)


def contained_in(tasks: TaskGroup) -> Callable[..., None]:
    """What starts tasks in a group that the cancellation of one of them does not end.

    Returns:
        Starts a task that awaits a function with its arguments, as `TaskGroup.start_soon`.
    """

    def spawn(function: Callable[..., Awaitable[object]], *args: object) -> None:
        tasks.start_soon(_contained, function, args)

    return spawn


async def _contained(function: Callable[..., Awaitable[object]], args: tuple[object, ...]) -> None:
    try:
        await function(*args)
    except anyio.get_cancelled_exc_class():
        return  # the task ends here, whoever has asked it to
