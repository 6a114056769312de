"""What a guest sends, as it comes: one registration with the event loop for the whole run.

`anyio.wait_readable` registers and forgets a descriptor at every wait, which costs more than the
read. Where the loop keeps a reader (asyncio's does, by the door that it calls `add_reader`), it
reads when it is told that it can, and only while somebody waits; elsewhere each wait is anyio's.
"""

from __future__ import annotations

from socket import socket
from typing import Any

import anyio
import anyio.lowlevel

from codemode.sandbox.bridge.frames import READ_BYTES


class Incoming:
    """The bytes of one connection; made, read and closed inside one event loop.

    Args:
        connection: The host's end of the bridge, non-blocking.
    """

    __slots__ = ("_connection", "_fd", "_is_registered", "_loop", "_may_have_more", "_waiter")

    def __init__(self, connection: socket) -> None:
        native: Any = anyio.lowlevel.current_token().native_token
        self._loop: Any = native if hasattr(native, "add_reader") else None
        self._connection = connection
        self._fd = connection.fileno()
        self._is_registered = False
        self._may_have_more = True
        self._waiter: Any = None

    async def receive(self) -> bytes:
        """Wait for bytes; none at all when the guest is gone. Does not yield when some are here."""
        while True:
            if self._may_have_more and (data := self._take()) is not None:
                return data
            if self._loop is None:
                self._may_have_more = True
                await anyio.wait_readable(self._connection)
                continue
            if not self._is_registered:
                self._loop.add_reader(self._fd, self._read)
                self._is_registered = True
            self._waiter = self._loop.create_future()
            try:
                told: bytes = await self._waiter
            finally:
                self._waiter = None
            return told

    def close(self) -> None:
        """Let the event loop forget the connection."""
        if self._is_registered:
            self._is_registered = False
            self._loop.remove_reader(self._fd)

    def _read(self) -> None:
        """Called by the event loop while there is something to read."""
        if self._waiter is None or self._waiter.done():
            self.close()  # nobody waits: the loop would call again and again
            self._may_have_more = True
        elif (data := self._take()) is not None:
            self._waiter.set_result(data)

    def _take(self) -> bytes | None:
        try:
            data = self._connection.recv(READ_BYTES)
        except BlockingIOError:
            self._may_have_more = False
            return None
        except OSError:
            data = b""
        self._may_have_more = len(data) == READ_BYTES
        return data
