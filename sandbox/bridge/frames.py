"""Frames: a 4-byte big-endian length, then that many bytes. No I/O.

The length is judged as soon as its four bytes are here, before anything is read or allocated for
the body.
"""

from __future__ import annotations

import struct
from typing import Final

from codemode.sandbox.bridge.errors import RemoteProtocolError

HEADER: Final = struct.Struct(">I")

#: What either side reads at once. More would be mapped afresh by the allocator for each read, which
#: costs ten times the read.
READ_BYTES: Final = 64 << 10


class FrameReader:
    """Cuts a stream of bytes into bodies.

    Attributes:
        max_frame_bytes: Longest body accepted.
    """

    __slots__ = ("_buffer", "_size", "max_frame_bytes")

    def __init__(self, *, max_frame_bytes: int) -> None:
        self.max_frame_bytes = max_frame_bytes
        self._buffer = bytearray()
        self._size = -1  # of the body now arriving; -1 while its header is not complete

    def feed(self, data: bytes | memoryview) -> None:
        """Take bytes, in pieces of any size."""
        self._buffer += data

    def next_body(self) -> bytes | None:
        """The next complete body, or None until more bytes come.

        Raises:
            RemoteProtocolError: A header announces an empty body or one that is too long.
        """
        buffer = self._buffer
        if self._size < 0:
            if len(buffer) < HEADER.size:
                return None
            (self._size,) = HEADER.unpack_from(buffer)
            if not 0 < self._size <= self.max_frame_bytes:
                raise RemoteProtocolError(
                    f"a frame of {self._size} bytes; 1 to {self.max_frame_bytes} are accepted"
                )
        end = HEADER.size + self._size
        if len(buffer) < end:
            return None
        with memoryview(buffer) as view:
            body = bytes(view[HEADER.size : end])
        del buffer[:end]
        self._size = -1
        return body
