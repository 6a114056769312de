"""Ids, chunks and budgets: what the table of moves alone does not say."""

from __future__ import annotations

from collections.abc import Callable

import msgpack
import pytest
from raw_frames import frame

from codemode.sandbox.bridge.chunks import Joiner
from codemode.sandbox.bridge.errors import LocalProtocolError, RemoteProtocolError
from codemode.sandbox.bridge.frames import HEADER, FrameReader
from codemode.sandbox.bridge.guest import GuestBridge
from codemode.sandbox.bridge.host import HostBridge
from codemode.sandbox.bridge.machine import State
from codemode.sandbox.bridge.messages import (
    CallOut,
    Cancel,
    Chunk,
    End,
    Fault,
    GuestMessage,
    Message,
    Notice,
    Reply,
    Run,
    Tick,
    Timer,
)
from codemode.sandbox.limits import Limits

RUN = Run(
    source="1",
    filename="program.py",
    policy="none",
    error_name="E",
    seed=1,
    clock=0.5,
    bindings=[],
    files={"a": b"\x00"},
    artifacts=["*"],
    limits={"calls": 1},
)


def call(number: int) -> CallOut:
    return CallOut(id=number, name="t", line=None, arguments={})


def pair(limits: Limits | None = None) -> tuple[HostBridge, GuestBridge]:
    """Both sides, with the program sent."""
    host, guest = HostBridge(limits or Limits()), GuestBridge(record=dict)
    assert carry(host, guest, RUN) == [RUN]
    return host, guest


def carry(
    sender: HostBridge | GuestBridge, receiver: HostBridge | GuestBridge, *messages: Message
) -> list[object]:
    for message in messages:
        for data in sender.send(message):
            receiver.receive(data)
    return list(receiver.messages())


@pytest.mark.spec("SANDBOX 4.1")
def test_many_calls_are_outstanding_and_answered_in_any_order() -> None:
    host, guest = pair()
    carry(guest, host, *(call(n) for n in range(1, 5)))
    assert host.outstanding == {1, 2, 3, 4}
    answers: list[Message] = [
        Reply(id=3, value=[1]),
        Fault(id=1, code="DENIED", message="no"),
        Reply(id=4, value=None),
    ]
    assert carry(host, guest, *answers) == answers
    assert host.outstanding == guest.outstanding == {2}


@pytest.mark.parametrize("message", [Reply(id=2, value=None), Fault(id=9, code="X", message="")])
def test_only_outstanding_calls_are_answered(message: Message) -> None:
    host, guest = pair()
    carry(guest, host, call(1), call(2))
    carry(host, guest, Reply(id=2, value=None))
    with pytest.raises(LocalProtocolError):
        host.send(message)
    assert host.state is State.RUNNING


@pytest.mark.parametrize("message", [call(2), call(7), Cancel(id=1), Timer(n=2, seconds=0.0)])
def test_numbers_count_without_gaps(message: Message) -> None:
    _, guest = pair()
    with pytest.raises(LocalProtocolError):
        guest.send(message)


def test_a_cancelled_call_is_answered_all_the_same() -> None:
    host, guest = pair()
    carry(guest, host, call(1), call(2), Cancel(id=1))
    carry(host, guest, Fault(id=1, code="ABORTED", message=""), Fault(id=2, code="X", message=""))
    assert carry(guest, host, Cancel(id=2)) == [Cancel(id=2)]  # it crossed the answer


@pytest.mark.spec("SANDBOX 4.4")
def test_no_kind_of_message_can_be_a_flood() -> None:
    floods: list[Callable[[int], GuestMessage]] = [
        lambda _: Cancel(id=1),
        lambda number: Timer(n=number, seconds=1e6),
        lambda _: Notice(text=""),
    ]
    for flood in floods:
        host, guest = pair()
        carry(guest, host, call(1))
        with pytest.raises(LocalProtocolError):  # the same table holds on both sides
            _flood(guest, host, flood)


def _flood(guest: GuestBridge, host: HostBridge, make: Callable[[int], GuestMessage]) -> None:
    for number in range(1, 100_000):
        carry(guest, host, make(number))


def test_a_timer_may_be_set_as_often_as_the_host_speaks() -> None:
    host, guest = pair()
    for number in range(1, 3_000):
        carry(guest, host, Timer(n=number, seconds=1.5))
        carry(host, guest, Tick(n=number))
    assert host.state is State.RUNNING


@pytest.mark.spec("SANDBOX 4.4")
def test_a_body_cannot_come_in_tiny_chunks() -> None:
    joiner = Joiner({"call": 100}, least_bytes=8)
    assert joiner.add(Chunk(of="call", size=10, data=b"x" * 8)) is None
    with pytest.raises(RemoteProtocolError, match="not the last"):
        joiner.add(Chunk(of="call", size=10, data=b"x"))


def test_ticks_answer_timers_in_order_and_once() -> None:
    host, guest = pair()
    carry(guest, host, Timer(n=1, seconds=0.0), Timer(n=2, seconds=1.5))
    carry(host, guest, Tick(n=2))
    for number in (1, 2, 3):
        with pytest.raises(LocalProtocolError):
            host.send(Tick(n=number))


@pytest.mark.spec("SANDBOX 4.1")
def test_what_came_before_an_error_is_given_and_nothing_after_it() -> None:
    host, guest = pair()
    data = b"".join((*guest.send(call(1)), frame(b"\xc1"), *guest.send(call(2))))
    host.receive(data)
    messages = host.messages()
    assert next(messages) == call(1)
    with pytest.raises(RemoteProtocolError):
        next(messages)
    assert host.state is State.DEAD
    with pytest.raises(RemoteProtocolError):
        list(host.messages())


@pytest.mark.spec("SANDBOX 4.2")
@pytest.mark.parametrize("size", [0, 4097, 0xFFFFFFFF])
def test_a_length_is_judged_before_its_body_is_there(size: int) -> None:
    host, _ = pair(Limits(frame_bytes=4096))
    host.receive(HEADER.pack(size))
    with pytest.raises(RemoteProtocolError):
        list(host.messages())


def test_a_frame_reader_takes_bytes_one_by_one() -> None:
    reader = FrameReader(max_frame_bytes=3)
    found: list[bytes | None] = []
    for byte in frame(b"abc") + frame(b"d"):
        reader.feed(bytes([byte]))
        found.append(reader.next_body())
    assert [body for body in found if body is not None] == [b"abc", b"d"]


@pytest.mark.spec("SANDBOX 4.5")
def test_a_large_message_goes_in_chunks_within_the_frame_limit() -> None:
    host, guest = pair(Limits(frame_bytes=1000))
    guest.max_frame_bytes = 1000
    message = CallOut(id=1, name="t", line=2, arguments={"x": "é" * 5000})
    frames = list(guest.send(message))
    assert len(frames) > 10
    assert all(len(one) <= 1000 + HEADER.size for one in frames)
    for one in frames:
        host.receive(one)
    assert list(host.messages()) == [message]
    assert host.message_bytes > 10_000


@pytest.mark.spec("SANDBOX 4.2")
@pytest.mark.parametrize(
    "chunks",
    [
        [Chunk(of="call", size=11, data=b"x")],
        [Chunk(of="out", size=1, data=b"x")],
        [Chunk(of="call", size=5, data=b"")],
        [Chunk(of="call", size=5, data=b"xxxxxx")],
        [Chunk(of="call", size=5, data=b"x"), Chunk(of="call", size=6, data=b"x")],
        [Chunk(of="call", size=5, data=b"x"), Chunk(of="end", size=5, data=b"x")],
        [Chunk(of="call", size=5, data=b"xxx"), Chunk(of="call", size=5, data=b"xxx")],
    ],
)
def test_chunks_outside_of_their_announcement_are_refused(chunks: list[Chunk]) -> None:
    joiner = Joiner({"call": 10, "end": 10})
    *before, last = chunks
    assert [joiner.add(chunk) for chunk in before] == [None] * len(before)
    with pytest.raises(RemoteProtocolError):
        joiner.add(last)


def chunk(of: str, body: bytes) -> bytes:
    return frame(msgpack.packb({"t": "chunk", "of": of, "size": len(body), "data": body}))


@pytest.mark.parametrize(
    "data",
    [
        chunk("call", msgpack.packb({"t": "end", "has_value": False, "value": None})),
        chunk("call", msgpack.packb({"t": "chunk", "of": "call", "size": 1, "data": b"x"})),
        frame(msgpack.packb({"t": "chunk", "of": "call", "size": 9, "data": b"x"}))
        + frame(msgpack.packb({"t": "notice", "text": ""})),
        frame(msgpack.packb([])),
        frame(msgpack.packb({"t": 1})),
        frame(msgpack.packb({"text": ""})),
        frame(msgpack.packb({"t": "reply", "id": 1, "value": None})),
        frame(msgpack.packb({"t": "artifact", "path": "x", "data": "text"})),
    ],
)
def test_other_messages_than_were_announced_are_refused(data: bytes) -> None:
    host, _ = pair()
    host.receive(data)
    with pytest.raises(RemoteProtocolError):
        list(host.messages())


def test_nothing_follows_the_end() -> None:
    host, guest = pair()
    carry(guest, host, call(1), End(has_value=True, value={"a": 1}))
    assert host.state is guest.state is State.ENDED
    with pytest.raises(LocalProtocolError):
        host.send(Reply(id=1, value=None))
    with pytest.raises(LocalProtocolError):
        guest.send(call(2))
