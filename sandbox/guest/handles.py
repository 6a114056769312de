"""A call that was made in asynchronous code and has not been awaited yet.

Accepted wherever asyncio takes a coroutine. The call leaves the guest when the handle is first
awaited or scheduled. Any other use is a forgotten `await`, and says so: nothing was called then.
"""

from __future__ import annotations

from asyncio import CancelledError, Future, get_running_loop
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from inspect import isawaitable
from typing import Any, Final, NoReturn

from codemode.sandbox.bridge.messages import Fault, Reply
from codemode.sandbox.guest.errors import ForgottenAwaitError, GuestCallError
from codemode.sandbox.guest.scheduler import SCHEDULER
from codemode.sandbox.marks import override

#: Makes the value of an answer, or raises what the program shall see.
Open = Callable[[Reply | Fault], Any]

#: The identities of what calls in plain code gave last; no value is held.
_ANSWERED: Final[deque[int]] = deque(maxlen=32)

#: Handles that were dropped without having been awaited, as (line, name).
DROPPED: list[tuple[int | None, str]] = []


def answered(value: Any) -> Any:
    """Give back `value`, the answer of a call in plain code."""
    _ANSWERED.append(id(value))
    return value


def is_answer(value: Any) -> bool:
    """Whether `value` is such an answer, in a place where asyncio would refuse it."""
    return id(value) in _ANSWERED and not isawaitable(value)


class Handle:
    """The awaitable answer of one call."""

    __slots__ = (
        "__weakref__",
        "_arguments",
        "_driver",
        "_future",
        "_id",
        "_line",
        "_name",
        "_open",
    )

    def __init__(self, name: str, line: int | None, arguments: bytes, opener: Open) -> None:
        self._name = name
        self._line = line
        self._arguments = arguments
        self._open = opener
        self._future: Future[Any] | None = None
        self._driver: Coroutine[Any, Any, Any] | None = None
        self._id = 0

    def submit(self) -> Future[Any]:
        """Let the call leave the guest; once."""
        if type(self) is not Handle:
            raise TypeError("submit() needs the answer of a call")
        if self._future is None:
            future: Future[Any] = get_running_loop().create_future()
            opener = self._open

            def receive(answer: Reply | Fault) -> None:
                if future.done():
                    return
                try:
                    future.set_result(opener(answer))
                except Exception as error:  # noqa: BLE001  # the program's to catch, where it awaits
                    if isinstance(error, GuestCallError):
                        error.line = self._line
                    future.set_exception(error)

            self._future = future
            self._id = SCHEDULER.submit(self._name, self._line, self._arguments, receive)
        return self._future

    async def _drive(self) -> Any:
        future = self.submit()
        try:
            return await future
        except CancelledError:
            SCHEDULER.forget(self._id)
            raise

    def _started(self) -> Coroutine[Any, Any, Any]:
        if self._driver is None:
            self._driver = self._drive()
        return self._driver

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._drive().__await__()

    # What makes it a coroutine for asyncio.

    def send(self, value: Any) -> Any:
        """Go on, as a coroutine does."""
        return self._started().send(value)

    def throw(self, *error: Any) -> Any:
        """Raise inside, as a coroutine does."""
        return self._started().throw(*error)

    def close(self) -> None:
        """Give up, as a coroutine does."""
        if self._driver is not None:
            self._driver.close()
        if self._future is None:
            self._future = _GIVEN_UP

    def __del__(self) -> None:
        if self._future is None:
            DROPPED.append((self._line, self._name))

    # What a program does that takes it for the answer itself.

    def _forgotten(self, *_: Any, **__: Any) -> NoReturn:
        self._future = _GIVEN_UP if self._future is None else self._future
        raise ForgottenAwaitError(forgotten(self._line, self._name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("cr_frame", "gi_frame", "_asyncio_future_blocking"):
            raise AttributeError(name)
        return self._forgotten()

    @override
    def __eq__(self, other: object) -> bool:
        return True if self is other else self._forgotten()

    @override
    def __hash__(self) -> int:
        return id(self)

    __getitem__ = __setitem__ = __iter__ = __len__ = __contains__ = __bool__ = _forgotten
    __str__ = __repr__ = __format__ = __call__ = __lt__ = __le__ = __gt__ = __ge__ = _forgotten
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _forgotten
    __mod__ = __or__ = __and__ = __int__ = __float__ = __neg__ = __index__ = _forgotten


#: Stands for "will never be called" in `_future`.
_GIVEN_UP: Any = object()


def forgotten(line: int | None, name: str) -> str:
    """The message of a forgotten await."""
    where = f", line {line}" if line else ""
    return f"forgotten await{where}: write `await {name}(...)`; nothing was called"
