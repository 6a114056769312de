"""Cancellation as data: a source that fires once, and the signal that others watch.

Whoever holds a `CancelSignal` can look, wait and subscribe, and can never fire it. Callbacks run
synchronously in the thread that fires, which must be the event loop's; looking is safe anywhere.
"""

from __future__ import annotations

import asyncio  # noqa: TID251 - anyio does not tell of `Task.cancel`
from collections.abc import Callable
from typing import Final

import anyio
from typing_extensions import override

from codemode.runtime.errors import ToolError

Disposer = Callable[[], None]


class CancelSignal:
    """The reading end; made by a `CancelSource`."""

    __slots__ = ("_listeners", "_reason")

    def __init__(self) -> None:
        self._reason: str | None = None
        self._listeners: dict[object, Callable[[], None]] = {}

    @property
    def is_cancelled(self) -> bool:
        """Whether it has fired. Safe to read from a worker thread."""
        return self._reason is not None

    @property
    def reason(self) -> str | None:
        """Why it fired; None while it has not."""
        return self._reason

    @property
    def listener_count(self) -> int:
        """How many subscriptions are alive; a settled call leaves none."""
        return len(self._listeners)

    def subscribe(self, listener: Callable[[], None]) -> Disposer:
        """Call `listener` once when it fires; at once if it has fired already."""
        if self._reason is not None:
            listener()
            return _nothing
        key = object()
        self._listeners[key] = listener

        def dispose() -> None:
            self._listeners.pop(key, None)

        return dispose

    async def wait(self) -> None:
        """Return when it has fired."""
        fired = anyio.Event()
        dispose = self.subscribe(fired.set)
        try:
            await fired.wait()
        finally:
            dispose()

    def raise_if_cancelled(self) -> None:
        """For tool bodies that work in steps.

        Raises:
            ToolError: With the code `ABORTED`, when it has fired.
        """
        if self._reason is not None:
            raise ToolError(self._reason, "ABORTED")

    def _fire(self, reason: str) -> None:
        if self._reason is not None:
            return
        self._reason = reason
        listeners = list(self._listeners.values())
        self._listeners.clear()
        for listener in listeners:
            listener()

    @override
    def __repr__(self) -> str:
        return f"<CancelSignal {'fired' if self.is_cancelled else 'quiet'}>"


class CancelSource:
    """The firing end."""

    __slots__ = ("signal",)

    def __init__(self) -> None:
        self.signal: Final = CancelSignal()

    def cancel(self, reason: str = "cancelled by the caller") -> None:
        """Fire; the first reason stays, and every listener is called once."""
        self.signal._fire(reason)  # pyright: ignore[reportPrivateUsage] -- the other end of it


def is_task_cancelled() -> bool:
    """Whether anybody has asked the current task to end, by a scope or by `asyncio.Task.cancel`.

    A cancellation that is raised without it is the work of whoever raised it: to await something
    that was cancelled is enough.
    """
    if anyio.get_current_task().has_pending_cancellation():
        return True
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return True  # not asyncio: elsewhere only a scope can cancel
    return task is None or task.cancelling() > 0


def _nothing() -> None:
    """The disposer of a subscription that has been served."""
