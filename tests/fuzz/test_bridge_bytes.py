"""Bytes at the host's end of the bridge.

The invariant: whatever arrives, cut anywhere, gives the same messages and then the same remote error or none;
nothing else is ever raised, nothing is kept beyond one frame and what it announced, and after an error
the machine says nothing more.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgpack
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codemode.sandbox.bridge.errors import RemoteProtocolError
from codemode.sandbox.bridge.host import HostBridge
from codemode.sandbox.bridge.machine import State
from codemode.sandbox.bridge.messages import Run
from codemode.sandbox.limits import Limits

CORPUS = [
    bytes.fromhex(line)
    for line in (Path(__file__).parent / "corpus" / "bridge.txt").read_text().splitlines()
    if not line.startswith("#")
]
LIMITS = Limits(
    frame_bytes=4096, argument_bytes=8192, result_bytes=8192, scratch_bytes=8192, nesting=20
)
RUN = Run(
    source="", filename="f", policy="none", error_name="E", seed=None, clock=None, bindings=[], files={}, artifacts=[], limits={}
)  # fmt: skip

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    st.text(max_size=5),
    st.binary(max_size=5),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3) | st.binary(max_size=2), inner, max_size=4)
    ),
    max_leaves=12,
)
names = st.sampled_from(
    [
        "t",
        "id",
        "name",
        "line",
        "arguments",
        "stream",
        "text",
        "n",
        "seconds",
        "path",
        "data",
        "has_value",
        "value",
        "kind",
        "message",
        "traceback",
        "limit",
        "exception",
        "of",
        "size",
        "x",
    ]
)
tags = st.sampled_from(
    [
        "out",
        "call",
        "cancel",
        "timer",
        "notice",
        "artifact",
        "end",
        "fail",
        "chunk",
        "run",
        "reply",
        "tick",
        "fault",
        "grant",
    ]
)


def tagged(tag: str, rest: dict[str, Any]) -> dict[str, Any]:
    """A message's map: everything decoded depends on its tag."""
    return {"t": tag, **rest}


maps = st.builds(tagged, tags, st.dictionaries(names, values, max_size=7))
#: One message of each kind that a guest sends.
FRAMES: list[dict[str, Any]] = [
    {"t": "out", "stream": "stdout", "text": "x"},
    {"t": "call", "id": 1, "name": "f", "line": None, "arguments": {"a": [1, {"b": 2.5}]}},
    {"t": "timer", "n": 1, "seconds": 1.0},
    {"t": "notice", "text": "x"},
    {"t": "chunk", "of": "end", "size": 40, "data": b"x" * 20},
    {"t": "artifact", "path": "a", "data": b"x"},
    {"t": "end", "has_value": True, "value": [1]},
    {"t": "cancel", "id": 1},
    {
        "t": "fail",
        "kind": "exception",
        "message": "m",
        "traceback": "",
        "line": 1,
        "limit": None,
        "exception": "E",
    },
]
likely = st.sampled_from(FRAMES)


def frame(value: Any) -> bytes:
    body = msgpack.packb(value)
    return struct.pack(">I", len(body)) + body


def started() -> HostBridge:
    bridge = HostBridge(LIMITS)
    list(bridge.send(RUN))
    return bridge


def hear(pieces: Iterable[bytes]) -> tuple[list[Any], str]:
    """The messages that the pieces say, and the error that ends them."""
    bridge, heard = started(), list[Any]()
    try:
        for piece in pieces:
            bridge.receive(piece)
            heard.extend(bridge.messages())
    except RemoteProtocolError as error:
        assert bridge.state is State.DEAD
        with pytest.raises(RemoteProtocolError):
            list(bridge.messages())
        return heard, str(error)
    return heard, ""


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({min(place, len(data)) for place in places} | {len(data)})
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def agree(data: bytes, places: list[int]) -> None:
    whole = hear([data])
    assert repr(hear(cut(data, places))) == repr(whole)
    assert repr(hear(data[at : at + 1] for at in range(len(data)))) == repr(whole)


@pytest.mark.spec("SANDBOX 4.1", "SANDBOX 4.2")
@pytest.mark.parametrize("data", CORPUS, ids=bytes.hex)
def test_the_corpus_is_heard_alike_whole_and_cut(data: bytes) -> None:
    for stream in (
        data,
        data * 2,
        data[:-1],
        data + b"\0" * 8,
        frame({"t": "notice", "text": "x"}) + data,
    ):
        agree(stream, [1, 3, 5])


@pytest.mark.spec("SANDBOX 4.1", "SANDBOX 4.2")
@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=st.binary(max_size=64), places=st.lists(st.integers(0, 64), max_size=4))
@example(data=b"", places=[])
def test_any_bytes_are_heard_alike_however_they_are_cut(data: bytes, places: list[int]) -> None:
    agree(data, places)


@pytest.mark.spec("SANDBOX 4.1", "SANDBOX 4.2")
@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    said=st.lists(likely | maps | values, min_size=1, max_size=4),
    places=st.lists(st.integers(0, 300), max_size=4),
    damage=st.none() | st.tuples(st.integers(0, 300), st.integers(0, 255)),
)
def test_damaged_frames_are_heard_alike_however_they_are_cut(
    said: list[Any], places: list[int], damage: tuple[int, int] | None
) -> None:
    data = bytearray(b"".join(map(frame, said)))
    if damage is not None and data:
        data[damage[0] % len(data)] = damage[1]
    agree(bytes(data), places)
