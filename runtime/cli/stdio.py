"""This process's stdin and stdout as the wire of a protocol, and as nothing else.

Or its stdout alone, as a document for machines.

What anybody prints meanwhile goes to stderr, and who reads stdin finds its end. Waiting is done on
the descriptors, never in a thread: a thread that blocks in a read cannot be cancelled, and would
keep the process from ending on Ctrl-C.
Source: dup2(2); pipe(7), "PIPE_BUF"; Model Context Protocol, "Transports: stdio".
"""

from __future__ import annotations

import math
import os
import select
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

import anyio
import anyio.lowlevel

#: How long what is being written may take once stdin is closed.
_GRACE_S: Final = 5.0
_READ_BYTES: Final = 1 << 16
#: As many bytes never block once a pipe says that it can be written to.
_WRITE_BYTES: Final = getattr(select, "PIPE_BUF", 512)


class Wire:
    """Lines in and text out; for one reading and one writing task.

    Has the methods of an asynchronous text file that the MCP SDK's transport uses. The caller keeps
    the descriptors.

    Args:
        reading: A descriptor; its end is the end of the wire.
        writing: A descriptor; who reads it no more ends the wire too.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self._in = reading
        self._out = writing
        self._buffer = bytearray()
        self._is_closed = False
        self._reading: anyio.CancelScope | None = None
        self._writing: anyio.CancelScope | None = None
        self._deadline = math.inf

    def __aiter__(self) -> Wire:
        return self

    async def __anext__(self) -> str:
        seen = 0
        while (end := self._buffer.find(b"\n", seen)) < 0:
            seen = len(self._buffer)
            if not await self._fill():
                end = seen - 1
                if end < 0:
                    raise StopAsyncIteration
                break
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        return line.decode("utf-8", "replace")

    async def write(self, text: str) -> None:
        """Write it all; nothing once the reader is gone, or had its time after the end."""
        data = memoryview(text.encode())
        with anyio.CancelScope(deadline=self._deadline) as self._writing:
            try:
                while data and not self._is_closed:
                    await _ready(anyio.wait_writable, self._out)
                    data = data[os.write(self._out, data[:_WRITE_BYTES]) :]
            except OSError:  # nobody reads any more: as good as the end of stdin
                self._is_closed = True
                if self._reading is not None:
                    self._reading.cancel()
        if self._writing.cancelled_caught:
            self._is_closed = True

    async def flush(self) -> None:
        """Nothing is held back."""

    async def _fill(self) -> bool:
        """Read what is there; False at the end."""
        with anyio.CancelScope() as self._reading:
            if self._is_closed:
                self._reading.cancel()
            await _ready(anyio.wait_readable, self._in)
            # A terminal that hung up, or a socket that was reset, is an end as well.
            with suppress(OSError):
                if data := os.read(self._in, _READ_BYTES):
                    self._buffer += data
                    return True
        self._deadline = anyio.current_time() + _GRACE_S
        if self._writing is not None:
            self._writing.deadline = self._deadline
        return False


async def _ready(wait: Callable[[int], Awaitable[None]], descriptor: int) -> None:
    try:
        await wait(descriptor)
    except PermissionError:  # a file on disk: the kernel does not wait for those, it has the data
        await anyio.lowlevel.checkpoint()


@contextmanager
def claimed() -> Generator[tuple[int, int]]:
    """Take stdin and stdout away from everybody else; gives private descriptors for them.

    Inside, descriptor 0 is empty and 1 is stderr, for this process and those that it starts. They
    are given back on the way out.
    """
    sys.stdout.flush()
    reading, writing = os.dup(0), os.dup(1)  # not inherited
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        yield reading, writing
    finally:
        sys.stdout.flush()
        os.dup2(reading, 0)
        os.dup2(writing, 1)
        for descriptor in (nothing, reading, writing):
            os.close(descriptor)


@contextmanager
def spared(*, is_spared: bool = True) -> Generator[TextIO]:
    """Take stdout away from everybody else; gives a stream to it.

    Inside, descriptor 1 is stderr, for this process and those that it starts: what tools print
    does not come between the JSON.

    Args:
        is_spared: Where it is not, everybody has stdout.
    """
    if not is_spared or None in (sys.stdout, sys.stderr):
        yield sys.stdout
        return
    sys.stdout.flush()
    out = sys.stdout
    with open(os.dup(1), "w", encoding=out.encoding, errors=out.errors) as stream:
        os.dup2(2, 1)
        try:
            yield stream
        finally:
            try:
                sys.stdout.flush()
            finally:
                os.dup2(stream.fileno(), 1)
