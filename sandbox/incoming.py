"""What a guest sends, as it comes: one registration with the event loop for the whole run.

`anyio.wait_readable` registers and forgets a descriptor at every wait, which costs more than the
read. Where the loop keeps a reader (asyncio's does, by the door that it calls `add_reader`), it
reads when it is told that it can, and only while somebody waits; elsewhere each wait is anyio's.

A program that calls in a row has its next call ready a moment after an answer. To sleep for so
short a time and be woken costs both processes more than to stay awake, so that the reader looks
again, turn by turn with everything else in the loop, for as long as such a moment lasts.
"""

from __future__ import annotations

from collections.abc import Callable
from socket import socket
from time import monotonic
from typing import Any, Final

import anyio
import anyio.lowlevel

from codemode.sandbox.bridge.frames import READ_BYTES

#: How soon a guest must have followed an answer, for the reader to stay awake after the next one.
_MOMENT_S: Final = 0.000_2


class Incoming:
    """The bytes of one connection; made, read and closed inside one event loop.

    Args:
        connection: The host's end of the bridge, non-blocking.
    """

    __slots__ = (
        "_connection",
        "_expected_at",
        "_fd",
        "_is_awake",
        "_is_brisk",
        "_is_closed",
        "_is_registered",
        "_loop",
        "_may_have_more",
        "_waiter",
        "_watcher",
    )

    def __init__(self, connection: socket) -> None:
        native: Any = anyio.lowlevel.current_token().native_token
        self._loop: Any = native if hasattr(native, "add_reader") else None
        self._connection = connection
        self._fd = connection.fileno()
        self._is_registered = self._is_brisk = self._is_awake = self._is_closed = False
        self._may_have_more = True
        self._expected_at = 0.0
        self._waiter: Any = None
        self._watcher: Callable[[], None] | None = None

    @property
    def can_be_watched(self) -> bool:
        """Whether `watch` is of use here."""
        return self._loop is not None

    def watch(self, watcher: Callable[[], None] | None) -> None:
        """Call `watcher` once if there are bytes while nobody receives; None: it need not be."""
        self._watcher = watcher
        if watcher is not None:
            self._register()

    async def give_way(self) -> None:
        """Everybody else's turn; what comes in it is received after it."""
        self._is_awake = self._may_have_more = True
        await anyio.lowlevel.checkpoint()

    def expect(self) -> None:
        """The guest has just been told something that it may be waiting for."""
        self._expected_at = monotonic()
        if self._is_brisk:
            self._wake()

    async def receive(self) -> bytes:
        """Wait for bytes; none at all when the guest is gone. Does not yield when some are here."""
        while not self._is_closed:
            if self._may_have_more and (data := self._take()) is not None:
                return data
            if self._loop is None:
                self._may_have_more = True
                await anyio.wait_readable(self._connection)
            elif self._is_brisk and monotonic() - self._expected_at < _MOMENT_S:
                await self.give_way()
            else:
                await self._sleep()
        return b""

    async def _sleep(self) -> None:
        """Wait for bytes, or until some are expected; takes none, since it may be cancelled."""
        self._register()
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> bool:
        """Let the one who sleeps look; gives whether anybody slept."""
        if self._waiter is None or self._waiter.done():
            return False
        self._may_have_more = True
        self._waiter.set_result(None)
        return True

    def close(self) -> None:
        """Let the event loop forget the connection; whoever receives is told of its end."""
        self._is_closed = True
        self._forget()
        self._wake()

    def _register(self) -> None:
        # Once it is closed, its descriptor may be another connection's.
        if not self._is_registered and not self._is_closed:
            self._loop.add_reader(self._fd, self._read)
            self._is_registered = True

    def _forget(self) -> None:
        if self._is_registered:
            self._is_registered = False
            self._loop.remove_reader(self._fd)

    def _read(self) -> None:
        """Called by the event loop while there is something to read."""
        if self._is_awake:
            self._is_awake = False  # somebody looks, or has looked, in this very turn
        elif self._wake():
            self._is_awake = True
        else:
            self._forget()  # nobody waits: the loop would call again and again
            self._may_have_more = True
            if self._watcher is not None:
                watcher, self._watcher = self._watcher, None
                watcher()

    def _take(self) -> bytes | None:
        try:
            data = self._connection.recv(READ_BYTES)
        except BlockingIOError:
            self._may_have_more = False
            return None
        except OSError:
            data = b""
        self._may_have_more = len(data) == READ_BYTES
        self._is_brisk = monotonic() - self._expected_at < _MOMENT_S
        return data
