"""Properties of the bridge: whatever bytes come, however they are cut."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_frames import frame

from codemode.sandbox.bridge import wire
from codemode.sandbox.bridge.chunks import Joiner, split
from codemode.sandbox.bridge.errors import LocalProtocolError, RemoteProtocolError, WireError
from codemode.sandbox.bridge.frames import FrameReader
from codemode.sandbox.bridge.guest import GuestBridge
from codemode.sandbox.bridge.host import HostBridge
from codemode.sandbox.bridge.machine import TRANSITIONS, Machine, State
from codemode.sandbox.bridge.messages import (
    Artifact,
    CallOut,
    Cancel,
    Chunk,
    End,
    Fail,
    Fault,
    Message,
    Notice,
    Out,
    Reply,
    Run,
    Tick,
    Timer,
)
from codemode.sandbox.limits import Limits
from codemode.sandbox.values import InvalidValueError, snapshot

#: Machines that run these may be busy with other things.
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 63) - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)
#: Data, and what only looks like it.
ANYTHING = st.recursive(
    SCALARS
    | st.floats()
    | st.integers()
    | st.binary(max_size=3)
    | st.text(max_size=3)
    | st.sets(st.integers(), max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.dictionaries(st.text(max_size=2) | st.integers() | st.booleans(), inner, max_size=3)
    ),
    max_leaves=8,
)

MESSAGES: dict[type[Message], Message] = {
    type(message): message
    for message in (
        Run(
            source="x",
            filename="program.py",
            policy="none",
            error_name="E",
            seed=None,
            clock=None,
            bindings=[],
            files={},
            artifacts=[],
            limits={},
        ),
        Reply(id=1, value=None),
        Fault(id=1, code="DENIED", message="no"),
        Tick(n=1),
        Out(stream="stdout", text="x"),
        CallOut(id=2, name="t", line=None, arguments={}),
        Cancel(id=1),
        Timer(n=2, seconds=0.5),
        Notice(text="x"),
        Artifact(path="a", data=b"x"),
        End(has_value=False, value=None),
        Fail(
            kind="exception",
            message="",
            traceback="",
            line=None,
            limit=None,
            exception="ValueError",
        ),
    )
}
FROM_HOST = (Run, Reply, Fault, Tick)


def guest() -> GuestBridge:
    return GuestBridge(record=dict)


def host(limits: Limits | None = None) -> HostBridge:
    return HostBridge(limits or Limits(frame_bytes=4096))


def running(limits: Limits | None = None) -> HostBridge:
    """A host that has started a program, with one call and one timer outstanding."""
    bridge = host(limits)
    list(bridge.send(MESSAGES[Run]))
    for message in (CallOut(id=1, name="t", line=None, arguments={}), Timer(n=1, seconds=1.0)):
        bridge.receive(encoded(message))
    assert len(list(bridge.messages())) == 2
    return bridge


def encoded(message: Message) -> bytes:
    """The frames of a message, whatever state its sender is in."""
    sender = guest()
    sender.state = State.RUNNING
    if isinstance(message, (CallOut, Timer)):
        sender._last_call = sender._last_timer = (  # the sender's history
            message.id - 1 if isinstance(message, CallOut) else message.n - 1
        )
    if isinstance(message, Cancel):
        sender._last_call = message.id  # as above
    return b"".join(sender.send(message))


def fed(bridge: Machine, pieces: list[bytes]) -> tuple[list[object], str, State]:
    """What a side makes of bytes in pieces: messages, error, state."""
    seen: list[object] = []
    try:
        for piece in pieces:
            bridge.receive(piece)
            seen.extend(bridge.messages())
    except RemoteProtocolError as error:
        return seen, str(error), bridge.state
    return seen, "", bridge.state


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = sorted({0, *(c for c in cuts if c < len(data)), len(data)})
    return [data[a:b] for a, b in pairwise(edges)]


@pytest.mark.spec("SANDBOX 4.1")
@RELAXED
@given(data=st.binary(max_size=64), cuts=st.lists(st.integers(0, 64)))
def test_garbage_yields_messages_or_a_remote_error_however_it_is_cut(
    data: bytes, cuts: list[int]
) -> None:
    whole, pieces = collected(running(), [data]), collected(running(), cut(data, cuts))
    assert whole == pieces


@pytest.mark.spec("SANDBOX 4.1")
@RELAXED
@given(
    body=st.dictionaries(
        st.sampled_from(["t", "id", "name", "line", "arguments", "text", "stream", "n", "seconds"]),
        ANYTHING | st.sampled_from(["call", "out", "timer", "end", "stdout", "chunk"]),
    ),
    cuts=st.lists(st.integers(0, 64)),
)
def test_framed_garbage_too(body: dict[str, object], cuts: list[int]) -> None:
    try:
        packed = msgpack.packb(body)
    except (ValueError, TypeError, OverflowError, UnicodeEncodeError):
        return
    data = frame(packed) * 2
    assert collected(running(), [data]) == collected(running(), cut(data, cuts))


def collected(bridge: Machine, pieces: list[bytes]) -> tuple[list[object], str, State]:
    """As `fed`, but every message before an error counts, in whichever piece the error came."""
    seen: list[object] = []
    for piece in pieces:
        bridge.receive(piece)
        messages = bridge.messages()
        try:
            seen.extend(messages)
        except RemoteProtocolError as error:
            return seen, str(error), bridge.state
    return seen, "", bridge.state


@RELAXED
@given(name=st.text(st.characters(exclude_categories=["Cs"])), value=JSON, at=st.integers(0, 80))
def test_a_call_survives_any_cut(name: str, value: Any, at: int) -> None:
    data = encoded(CallOut(id=2, name=name, line=3, arguments={"value": value}))
    seen, error, _ = fed(running(), [data[:at], data[at:]])
    assert error == ""
    assert seen == [CallOut(id=2, name=name, line=3, arguments={"value": value})]


@RELAXED
@given(
    head=st.binary(min_size=1, max_size=600),
    rest=st.binary(max_size=2_000),
    frame_bytes=st.integers(100, 700),
)
def test_a_body_in_two_parts_goes_in_frames_that_give_it_back(
    head: bytes, rest: bytes, frame_bytes: int
) -> None:
    frames = list(split("reply", head, rest, max_frame_bytes=frame_bytes))
    reader = FrameReader(max_frame_bytes=frame_bytes)
    reader.feed(b"".join(frames))
    bodies = [body for _ in frames if (body := reader.next_body()) is not None]
    assert reader.next_body() is None
    if len(head) + len(rest) <= frame_bytes:
        assert bodies == [head + rest]
        return
    joiner = Joiner({"reply": 1 << 20})
    wholes = [joiner.add(Chunk(**fields(body))) for body in bodies]
    assert wholes == [None] * (len(frames) - 1) + [("reply", bytearray(head + rest))]


def fields(body: bytes) -> dict[str, Any]:
    """What a chunk's map says, without its name."""
    found = cast("dict[str, Any]", msgpack.unpackb(body))
    assert found.pop("t") == "chunk"
    return found


@pytest.mark.spec("SANDBOX 4.5")
@RELAXED
@given(size=st.integers(3_900, 13_000), cuts=st.lists(st.integers(0, 14_000), max_size=8))
def test_chunks_give_the_message_back(size: int, cuts: list[int]) -> None:
    sender = guest()
    sender.state = State.RUNNING
    sender.max_frame_bytes = 4096
    sender._last_call = 1  # the sender's history
    message = CallOut(id=2, name="t", line=None, arguments={"text": "x" * size})
    data = b"".join(sender.send(message))
    assert fed(running(), cut(data, cuts)) == ([message], "", State.RUNNING)


@pytest.mark.spec("SANDBOX 4.1")
@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("state", State)
def test_every_pair_of_state_and_message_is_legal_exactly_if_the_table_says_so(
    state: State, kind: type[Message]
) -> None:
    bridge = running()
    bridge.state = state
    legal = (state, kind) in TRANSITIONS
    if kind in FROM_HOST:
        if legal:
            list(bridge.send(MESSAGES[kind]))
        else:
            with pytest.raises(LocalProtocolError):
                bridge.send(MESSAGES[kind])
            assert bridge.state is state
            return
    else:
        seen, error, _ = fed(bridge, [encoded(MESSAGES[kind])])
        assert (seen == [MESSAGES[kind]]) is legal
        assert (error == "") is legal
        if not legal:
            assert bridge.state is State.DEAD
            return
    assert bridge.state is TRANSITIONS[state, kind]


@pytest.mark.spec("SANDBOX 4.2")
@RELAXED
@given(value=ANYTHING)
def test_what_is_strict_is_what_a_snapshot_takes(value: object) -> None:
    try:
        expected: object = snapshot(value)
    except InvalidValueError:
        expected = _REFUSED
    try:
        packed = wire.pack(value)
    except WireError:
        assert expected is _REFUSED
        return
    assert wire.is_strict(packed) is (expected is not _REFUSED)
    assert not wire.is_plain(value) or expected is not _REFUSED
    if expected is not _REFUSED:
        assert same(wire.unpack(packed, nesting=500), expected)


_REFUSED = object()


def same(one: Any, other: Any) -> bool:
    """Equal, of the same types, and with the sign of zero."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        ours, theirs = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(one, list):
        items = cast("list[object]", one)
        return len(items) == len(other) and all(map(same, items, other))
    if isinstance(one, float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return bool(one == other)


@RELAXED
@given(value=JSON)
def test_thawing_gives_equal_plain_data(value: Any) -> None:
    frozen = wire.unpack(wire.pack(value), nesting=500)
    thawed = wire.thaw(frozen)
    assert thawed == value
    assert type(thawed) in (dict, list) or not isinstance(thawed, (dict, list))


@pytest.mark.spec("SANDBOX 4.2")
@RELAXED
@given(levels=st.integers(1, 30), limit=st.integers(1, 30), is_map=st.booleans())
def test_nesting_is_bounded_exactly(levels: int, limit: int, is_map: bool) -> None:
    wrap: Callable[[Any], Any] = (lambda v: {"k": v}) if is_map else (lambda v: [v, 1, 2])
    value: Any = 1
    for _ in range(levels):
        value = wrap(value)
    packed = wire.pack(value)
    if levels <= limit:
        assert wire.unpack(packed, nesting=limit) == value
    else:
        with pytest.raises(WireError):
            wire.unpack(packed, nesting=limit)
