"""Lets many tasks wait for messages on one socket, without a task or a task group of its own.

One of the waiting tasks reads for all; when it leaves, it wakes another to go on. Nothing here
knows what the messages are.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import anyio

T = TypeVar("T")


class Ticket(Generic[T]):
    """Something awaited: settled once, by whoever reads.

    Attributes:
        value: None until it is settled.
    """

    __slots__ = ("_awake", "error", "value")

    def __init__(self) -> None:
        self.value: T | None = None
        self.error: Exception | None = None
        self._awake: anyio.Event | None = None

    def settle(self, value: T) -> None:
        """Give the value and wake the waiting task."""
        self.value = value
        self.wake()

    def fail(self, error: Exception) -> None:
        """Make the waiting task raise `error`."""
        self.error = error
        self.wake()

    @property
    def is_settled(self) -> bool:
        """Whether there is a value or an error."""
        return self.value is not None or self.error is not None

    def wake(self) -> None:
        """Make the waiting task look again."""
        if self._awake is not None:
            self._awake.set()
            self._awake = None

    async def sleep(self) -> None:
        """Wait for `wake`."""
        if self._awake is None:
            self._awake = anyio.Event()
        await self._awake.wait()


class Mailbox:
    """The waiting tasks of one socket.

    Args:
        readable: Non-blocking; must stay open while a task waits (shut it down to end the wait).
        drain: Reads all that is there and settles tickets; never blocks.
    """

    def __init__(self, readable: socket.socket, drain: Callable[[], None]) -> None:
        self._readable = readable
        self._drain = drain
        self._is_read = False
        self._sleepers: dict[Ticket[Any], None] = {}  # in the order of their coming

    @property
    def is_read(self) -> bool:
        """Whether a task waits for the socket right now."""
        return self._is_read

    async def wait(self, ticket: Ticket[T]) -> T:
        """Wait until `ticket` is settled.

        Raises:
            Exception: What the ticket failed with.
        """
        try:
            while not ticket.is_settled:
                if self._is_read:
                    await self._sleep(ticket)
                else:
                    await self._read()
        finally:
            self._pass_on()
        if ticket.error is not None:
            raise ticket.error
        assert ticket.value is not None  # noqa: S101 - settled without an error
        return ticket.value

    async def _sleep(self, ticket: Ticket[T]) -> None:
        self._sleepers[ticket] = None
        try:
            await ticket.sleep()
        finally:
            self._sleepers.pop(ticket, None)

    async def _read(self) -> None:
        self._is_read = True
        try:
            await anyio.wait_readable(self._readable)
        finally:
            self._is_read = False
        self._drain()

    def _pass_on(self) -> None:
        """Let another task read, if this one was reading for it."""
        if not self._is_read:
            for ticket in self._sleepers:
                ticket.wake()
                return
