"""An answer that somebody gives when it is there, so that no task has to wait for it.

A handler that has a task of its own returns one in place of a coroutine; the driver then starts
none for the call. It is given exactly once, whatever happens, also after nobody wants it any more.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any

import anyio
from typing_extensions import override

from codemode.sandbox.values import Json


class Answer(Awaitable[Json]):
    """See the module. Whoever makes one says in a subclass what `cancel` does."""

    __slots__ = ("_error", "_listener", "_value", "is_given")

    def __init__(self) -> None:
        self.is_given = False
        self._value: Json = None
        self._error: Exception | None = None
        self._listener: Callable[[], None] = _nobody

    def give(self, value: Json) -> None:
        """The call has come to this value."""
        self._value = value
        self._tell()

    def fail(self, error: Exception) -> None:
        """The call has failed."""
        self._error = error
        self._tell()

    def _tell(self) -> None:
        self.is_given = True
        listener, self._listener = self._listener, _nobody
        listener()

    def then(self, listener: Callable[[], None]) -> None:
        """Call `listener` as soon as the answer is there; there is one listener."""
        if self.is_given:
            listener()
        else:
            self._listener = listener

    def cancel(self) -> None:
        """Nobody wants the answer any more: give it soon."""

    def value(self) -> Json:
        """The answer that was given.

        Raises:
            Exception: What the call has failed with.
        """
        if self._error is not None:
            raise self._error
        return self._value

    @override
    def __await__(self) -> Generator[Any, Any, Json]:
        return self._wait().__await__()

    async def _wait(self) -> Json:
        given = anyio.Event()
        self.then(given.set)
        try:
            await given.wait()
        except anyio.get_cancelled_exc_class():
            self.cancel()
            raise
        return self.value()


def _nobody() -> None:
    """The listener of an answer that nobody has asked for yet."""
