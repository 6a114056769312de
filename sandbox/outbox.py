"""Frames on their way to a guest, written as it reads and without anyone waiting for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from socket import socket

import anyio


class Outbox:
    """What one guest has not read yet.

    Args:
        connection: The host's end of the bridge, non-blocking.

    Attributes:
        size_bytes: What is kept for the guest in this process.
    """

    def __init__(self, connection: socket) -> None:
        self.size_bytes = 0
        self._connection = connection
        self._unsent: deque[memoryview] = deque()
        self._writing = anyio.CancelScope()

    def __len__(self) -> int:
        """How many frames are not written."""
        return len(self._unsent)

    def put(self, frames: Iterable[bytes]) -> bool:
        """Write what the guest takes now and keep the rest, in order.

        Returns:
            Whether a task must run `write_later`; none does yet.
        """
        unsent = self._unsent
        is_waiting = bool(unsent)
        for frame in frames:
            unsent.append(memoryview(frame))
            self.size_bytes += len(frame)
        return not is_waiting and not self._write_now()

    async def write_later(self) -> None:
        """Write the rest as the guest reads."""
        with self._writing, suppress(anyio.ClosedResourceError):
            while not self._write_now():
                await anyio.wait_writable(self._connection)
        self._writing = anyio.CancelScope()

    def close(self) -> None:
        """Forget the rest, and end `write_later`.

        The event loop forgets the connection now and not when that task gets to know of it: the
        descriptor may be closed by then, and another guest's.
        """
        if self._unsent:
            self._forget()
            self._writing.cancel()
            anyio.notify_closing(self._connection)

    def _forget(self) -> None:
        self._unsent.clear()
        self.size_bytes = 0

    def _write_now(self) -> bool:
        unsent = self._unsent
        try:
            while unsent:
                sent = self._connection.send(unsent[0])
                self.size_bytes -= sent
                if sent < len(unsent[0]):
                    unsent[0] = unsent[0][sent:]
                else:
                    unsent.popleft()
        except BlockingIOError:
            return False
        except OSError:
            self._forget()  # the guest is gone; whoever reads from it finds out why
        return True
