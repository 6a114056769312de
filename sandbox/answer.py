"""An answer that somebody gives when it is there, so that no task has to wait for it.

A handler returns one in place of a coroutine, perhaps with the work that comes to it. It is given
exactly once, whatever happens, also after nobody wants it any more.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any

import anyio
from typing_extensions import override

from codemode.sandbox.values import Json


@dataclass(frozen=True, slots=True)
class Work:
    """The way to one answer.

    Attributes:
        run: Comes to the answer; called once, in a task that `spawn` has started.
        spawn: Starts a task that runs a function with its arguments.
    """

    run: Callable[[], Awaitable[None]]
    spawn: Callable[..., object]

    def start(self) -> None:
        """Run it in a task of its own."""
        self.spawn(self.run)


class Answer(Awaitable[Json]):
    """See the module. Whoever makes one says in a subclass what `cancel` does.

    Attributes:
        work: What must be run for it to be given; None: it will be given. See `take_work`.
    """

    __slots__ = ("_error", "_listener", "_value", "is_given", "work")

    def __init__(self) -> None:
        self.is_given = False
        self.work: Work | None = None
        self._value: Json = None
        self._error: Exception | SystemExit | None = None
        self._listener: Callable[[], None] = _nobody

    def give(self, value: Json) -> None:
        """The call has come to this value."""
        self._value = value
        self._tell()

    def fail(self, error: Exception | SystemExit) -> None:
        """The call has failed."""
        self._error = error
        self._tell()

    def _tell(self) -> None:
        self.is_given = True
        listener, self._listener = self._listener, _nobody
        listener()

    def take_work(self) -> Work | None:
        """For whoever gets the answer: the work, which it must have run; kept here no longer."""
        work, self.work = self.work, None
        return work

    def then(self, listener: Callable[[], None]) -> None:
        """Call `listener` as soon as the answer is there; there is one listener."""
        if self.is_given:
            listener()
        else:
            self._listener = listener

    def cancel(self) -> None:
        """Nobody wants the answer any more: give it soon."""

    def decline(self) -> None:
        """The same, of one whose work was not run yet, and is not to have any effect."""
        self.cancel()

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
        if (work := self.take_work()) is not None:
            work.start()
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
