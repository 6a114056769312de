"""Large bodies in pieces of a frame's size, under one budget for each kind of message. No I/O.

The frame limit therefore bounds what is judged at once, and never what a program can say. The whole
size is announced in the first piece and judged there, before anything is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from codemode.sandbox.bridge import wire
from codemode.sandbox.bridge.errors import RemoteProtocolError
from codemode.sandbox.bridge.frames import HEADER
from codemode.sandbox.bridge.messages import Chunk

#: What a chunk's own map takes at most beside its data.
_OVERHEAD_BYTES: Final = 64


def split(tag: str, head: bytes, rest: bytes, *, max_frame_bytes: int) -> Iterator[bytes]:
    """The frames of one message that is encoded in two parts: itself, or its chunks.

    Each byte is copied once, straight into its frame.
    """
    size = len(head) + len(rest)
    if size <= max_frame_bytes:
        yield b"".join((HEADER.pack(size), head, rest))
        return
    opening = wire.opened({"t": "chunk", "of": tag, "size": size}, "data")
    step = max_frame_bytes - _OVERHEAD_BYTES
    with memoryview(rest) as view:
        for start in range(0, size, step):
            end = min(start + step, size)
            frame_bytes = len(opening) + wire.BINARY.size + end - start
            yield b"".join(
                (
                    HEADER.pack(frame_bytes),
                    opening,
                    wire.BINARY.pack(0xC6, end - start),
                    head[start:end],
                    view[max(start - len(head), 0) : max(end - len(head), 0)],
                )
            )


class Joiner:
    """Puts the chunks of one message together.

    Args:
        budgets: Most bytes of a body, by the message's name; a name that is not here is refused.
        least_bytes: Of every chunk but the last, so that a body cannot come as a flood of frames.
    """

    __slots__ = ("_body", "_budgets", "_of", "_taken", "least_bytes")

    def __init__(self, budgets: Mapping[str, int], *, least_bytes: int = 1) -> None:
        self._budgets = budgets
        self.least_bytes = least_bytes
        self._of = ""
        self._taken = 0
        self._body = bytearray()

    @property
    def is_open(self) -> bool:
        """Whether a message has begun and not ended: nothing else may come in between."""
        return self._taken > 0

    def add(self, chunk: Chunk) -> tuple[str, bytearray] | None:
        """Take a piece; give the message's name and body when it is the last.

        Raises:
            RemoteProtocolError: Over the budget, empty, or not the continuation of what was begun.
        """
        if not self._taken:
            budget = self._budgets.get(chunk.of, 0)
            if chunk.size > budget:
                raise RemoteProtocolError(
                    f"{chunk.of[:20]!r} of {chunk.size} bytes; at most {budget}"
                )
            self._of, self._body = chunk.of, bytearray(chunk.size)
        body = self._body
        end = self._taken + len(chunk.data)
        if (chunk.of, chunk.size) != (self._of, len(body)) or not chunk.data:
            raise RemoteProtocolError("a chunk that does not continue its message")
        if end > len(body):
            raise RemoteProtocolError("chunks larger than was announced")
        body[self._taken : end] = chunk.data
        self._taken = end
        if end < len(body):
            if len(chunk.data) < self.least_bytes:
                raise RemoteProtocolError(
                    f"a chunk of {len(chunk.data)} bytes that is not the last"
                )
            return None
        self._taken, self._body = 0, bytearray()
        return self._of, body
