"""Messages of a language server on a byte stream: framing and nothing else. Sans-I/O.

What the server sends is bounded and checked like any foreign input.

Source: Language Server Protocol 3.17, "Base Protocol"; JSON-RPC 2.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

#: Largest message that is read, in bytes.
MAX_MESSAGE_BYTES: Final = 16 << 20
_MAX_HEADER_BYTES: Final = 4096
_END: Final = b"\r\n\r\n"

Message = dict[str, Any]


class WireError(Exception):
    """The bytes are no messages of the protocol; the stream is of no use any more."""


def encode(message: Mapping[str, object]) -> bytes:
    """One message with its header."""
    body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Decoder:
    """Cuts a stream into messages, however it arrives."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None

    def feed(self, data: bytes) -> list[Message]:
        """The messages that `data` completes.

        Raises:
            WireError: The stream breaks the protocol.
        """
        self._buffer += data
        messages: list[Message] = []
        while (body := self._next()) is not None:
            try:
                message: object = json.loads(body)
            except (ValueError, RecursionError) as error:
                raise WireError("a message is not JSON") from error
            if not isinstance(message, dict):
                raise WireError("a message is not an object")
            messages.append(cast("Message", message))
        return messages

    def _next(self) -> bytes | None:
        if self._length is None:
            end = self._buffer.find(_END)
            if end < 0:
                if len(self._buffer) > _MAX_HEADER_BYTES:
                    raise WireError("a header does not end")
                return None
            self._length = _content_length(bytes(self._buffer[:end]))
            del self._buffer[: end + len(_END)]
        if len(self._buffer) < self._length:
            return None
        body = bytes(self._buffer[: self._length])
        del self._buffer[: self._length]
        self._length = None
        return body


def _content_length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            number = value.strip()
            if number.isdigit() and len(number) < 10 and int(number) <= MAX_MESSAGE_BYTES:
                return int(number)
            raise WireError("a message has a length that is refused")
    raise WireError("a message has no length")
