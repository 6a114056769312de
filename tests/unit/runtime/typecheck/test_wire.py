"""Framing of the language server's messages."""

from __future__ import annotations

import pytest

from codemode.runtime.typecheck.wire import MAX_MESSAGE_BYTES, Decoder, WireError, encode


def test_messages_arrive_whole_however_they_are_cut() -> None:
    data = encode({"id": 1}) + encode({"method": "é"})
    decoder = Decoder()
    found = [message for at in range(len(data)) for message in decoder.feed(data[at : at + 1])]
    assert found == [{"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "2.0", "method": "é"}]


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Type: x\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: %d\r\n\r\n" % (MAX_MESSAGE_BYTES + 1),
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 1\r\n\r\n{",
        b"Content-Length: 1\r\n\r\n\xff",
        b"x" * 5000,
    ],
)
def test_what_breaks_the_protocol_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        Decoder().feed(data)
