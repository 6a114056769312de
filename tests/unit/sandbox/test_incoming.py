"""What the host reads of a guest: when it stays awake for the next bytes, and when it sleeps."""

from __future__ import annotations

import asyncio  # noqa: TID251 - to cancel as a host without anyio does
import socket
from collections.abc import Iterator

import anyio
import pytest
from anyio.lowlevel import checkpoint
from typing_extensions import override

from codemode.sandbox import incoming
from codemode.sandbox.incoming import Incoming

pytestmark = pytest.mark.anyio

_TURNS = 20


class Counted(socket.socket):
    """Counts how often somebody looks for bytes."""

    looks = 0

    @override
    def recv(self, bufsize: int, flags: int = 0, /) -> bytes:
        self.looks += 1
        return super().recv(bufsize, flags)


class Clock:
    """A clock that a test moves."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(incoming, "monotonic", clock)
    return clock


@pytest.fixture
def ends() -> Iterator[tuple[Counted, socket.socket]]:
    ours, theirs = socket.socketpair()
    with Counted(fileno=ours.detach()) as host, theirs as guest:
        host.setblocking(False)
        yield host, guest


async def looks_in_turns(host: Counted) -> int:
    """How often the reader looks while everybody else has so many turns."""
    before = host.looks
    for _ in range(_TURNS):
        await checkpoint()
    return host.looks - before


async def told_at_once(reader: Incoming, guest: socket.socket) -> None:
    """The guest follows an answer in no time."""
    reader.expect()
    guest.send(b"next")
    assert await reader.receive() == b"next"


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_reader_stays_awake_for_a_guest_that_follows_at_once_and_no_longer(
    clock: Clock, ends: tuple[Counted, socket.socket]
) -> None:
    host, guest = ends
    reader = Incoming(host)
    received: list[bytes] = []

    async def receive() -> None:
        received.append(await reader.receive())

    await told_at_once(reader, guest)
    clock.now += 1
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(receive)
        await anyio.wait_all_tasks_blocked()
        reader.expect()
        assert await looks_in_turns(host) >= _TURNS - 2
        clock.now += 1
        await looks_in_turns(host)
        assert await looks_in_turns(host) == 0  # asleep again
        guest.send(b"late")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(receive)
        await anyio.wait_all_tasks_blocked()
        reader.expect()
        assert await looks_in_turns(host) == 0  # it was late the last time
        guest.send(b"later")
    reader.close()
    assert received == [b"late", b"later"]


@pytest.mark.usefixtures("clock")
async def test_a_reader_that_is_awake_gets_everything_and_sees_the_end(
    ends: tuple[Counted, socket.socket],
) -> None:
    host, guest = ends
    reader = Incoming(host)
    await told_at_once(reader, guest)
    reader.expect()
    received = b""
    async with anyio.create_task_group() as tasks:

        async def speak() -> None:
            for piece in (b"one ", b"two ", b"three"):
                guest.send(piece)
                await checkpoint()
                await checkpoint()
            guest.shutdown(socket.SHUT_WR)

        tasks.start_soon(speak)
        while data := await reader.receive():
            received += data
    reader.close()
    assert received == b"one two three"


@pytest.mark.usefixtures("clock")
async def test_a_reader_that_is_awake_can_be_cancelled(
    ends: tuple[Counted, socket.socket],
) -> None:
    host, guest = ends
    reader = Incoming(host)
    await told_at_once(reader, guest)
    reader.expect()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reader.receive)
        await checkpoint()
        tasks.cancel_scope.cancel()
    guest.send(b"for whoever reads next")
    assert await reader.receive() == b"for whoever reads next"
    reader.close()


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_reader_that_is_cancelled_as_bytes_come_loses_none(
    ends: tuple[Counted, socket.socket],
) -> None:
    host, guest = ends
    reader = Incoming(host)
    for turns in range(6):
        task = asyncio.create_task(reader.receive())  # a tool may have its task cancelled like this
        await anyio.wait_all_tasks_blocked()
        guest.send(b"kept")
        for _ in range(turns):
            await checkpoint()
        task.cancel()
        await asyncio.wait([task])
        received = b"" if task.cancelled() else task.result()
        with anyio.fail_after(5):
            assert (received or await reader.receive()) == b"kept", turns
    reader.close()


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_reader_that_was_closed_watches_no_descriptor(
    ends: tuple[Counted, socket.socket],
) -> None:
    host, guest = ends
    reader = Incoming(host)
    told: list[str] = []
    reader.close()
    reader.watch(lambda: told.append("bytes"))
    guest.send(b"of another connection by now")
    await looks_in_turns(host)
    assert (told, host.looks) == ([], 0)
