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
from codemode.sandbox.guest.hidden import Slot
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


class _Call:
    """What a handle holds.

    Attributes:
        future: Of the answer, once the call has left the guest; `_GIVEN_UP` if it never will.
    """

    __slots__ = ("arguments", "driver", "future", "id", "line", "name", "opener")

    def __init__(self, name: str, line: int | None, arguments: bytes, opener: Open) -> None:
        self.name = name
        self.line = line
        self.arguments = arguments
        self.opener = opener
        self.future: Future[Any] | None = None
        self.driver: Coroutine[Any, Any, Any] | None = None
        self.id = 0

    def submit(self) -> Future[Any]:
        """Let the call leave the guest; once."""
        if self.future is None:
            future: Future[Any] = get_running_loop().create_future()
            opener = self.opener

            def receive(answer: Reply | Fault) -> None:
                if future.done():
                    return
                try:
                    future.set_result(opener(answer))
                except Exception as error:  # noqa: BLE001  # the program's to catch, where it awaits
                    if isinstance(error, GuestCallError):
                        error.line = self.line
                    future.set_exception(error)

            self.future = future
            self.id = SCHEDULER.submit(self.name, self.line, self.arguments, receive)
        return self.future

    async def drive(self) -> Any:
        """Wait for the answer."""
        future = self.submit()
        try:
            return await future
        except CancelledError:
            SCHEDULER.forget(self.id)
            raise

    def started(self) -> Coroutine[Any, Any, Any]:
        """What waits for the answer, for those who send to it themselves."""
        if self.driver is None:
            self.driver = self.drive()
        return self.driver

    def __del__(self) -> None:
        if self.future is None:
            DROPPED.append((self.line, self.name))


class Handle:
    """The awaitable answer of one call. Only `make_handle` makes one that does anything."""

    __slots__ = ("__weakref__", "_inside")

    def submit(self) -> Future[Any]:
        """Let the call leave the guest; once."""
        return _inside.get(self).submit()

    def __await__(self) -> Generator[Any, Any, Any]:
        return _inside.get(self).drive().__await__()

    # What makes it a coroutine for asyncio.

    def send(self, value: Any) -> Any:
        """Go on, as a coroutine does."""
        return _inside.get(self).started().send(value)

    def throw(self, *error: Any) -> Any:
        """Raise inside, as a coroutine does."""
        return _inside.get(self).started().throw(*error)

    def close(self) -> None:
        """Give up, as a coroutine does."""
        call = _inside.get(self)
        if call.driver is not None:
            call.driver.close()
        if call.future is None:
            call.future = _GIVEN_UP

    # What a program does that takes it for the answer itself.

    def _forgotten(self, *_: Any, **__: Any) -> NoReturn:
        call = _inside.get(self)
        call.future = _GIVEN_UP if call.future is None else call.future
        raise ForgottenAwaitError(forgotten(call.line, call.name))

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


_inside: Final[Slot[_Call]] = Slot(Handle, "_inside")


def make_handle(name: str, line: int | None, arguments: bytes, opener: Open) -> Handle:
    """The handle of a call that has not left the guest."""
    handle = Handle()
    _inside.put(handle, _Call(name, line, arguments, opener))
    return handle


#: Stands for "will never be called" as a call's future.
_GIVEN_UP: Any = object()


def forgotten(line: int | None, name: str) -> str:
    """The message of a forgotten await."""
    where = f", line {line}" if line else ""
    return f"forgotten await{where}: write `await {name}(...)`; nothing was called"
