from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemode.runtime.cli.stdio import Wire, claimed

LONG = "x" * 1_000_000 + "\n"


@pytest.fixture
def pipes() -> Iterator[tuple[int, int, int, int]]:
    """What a client has of two pipes (to write, to read), and what the wire has (read, write)."""
    incoming, to_wire = os.pipe()
    from_wire, outgoing = os.pipe()
    yield to_wire, from_wire, incoming, outgoing
    for descriptor in (to_wire, from_wire, incoming, outgoing):
        try:
            os.close(descriptor)
        except OSError:
            continue  # the test has closed it


async def lines_of(wire: Wire) -> list[str]:
    return [line async for line in wire]


def joined(blobs: list[bytes]) -> bytes:
    """What a client sends, in pieces."""
    reading, writing = os.pipe()
    wire = Wire(reading, writing)

    async def through() -> list[str]:
        async with anyio.create_task_group() as tasks:

            async def send() -> None:
                for blob in blobs:
                    await anyio.lowlevel.checkpoint()
                    os.write(writing, blob)
                os.close(writing)

            tasks.start_soon(send)
            return await lines_of(wire)
        raise AssertionError("unreachable")

    try:
        lines = anyio.run(through)
    finally:
        os.close(reading)
    assert all("\n" not in line[:-1] and line for line in lines)
    return "".join(lines).encode()


@given(st.lists(st.text(alphabet="a\né").map(str.encode), max_size=8))
def test_lines_come_whole_however_they_are_cut(blobs: list[bytes]) -> None:
    assert joined(blobs) == b"".join(blobs)


@pytest.mark.anyio
async def test_bytes_that_are_no_text_are_a_line_all_the_same(
    pipes: tuple[int, int, int, int],
) -> None:
    to_wire, _, incoming, outgoing = pipes
    os.write(to_wire, b"\xff\n{}\nrest")
    os.close(to_wire)
    assert await lines_of(Wire(incoming, outgoing)) == ["\ufffd\n", "{}\n", "rest"]


@pytest.mark.anyio
async def test_a_file_on_disk_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("a\nb\n")
    with (tmp_path / "in").open("rb") as incoming, (tmp_path / "out").open("wb") as outgoing:
        wire = Wire(incoming.fileno(), outgoing.fileno())
        assert await lines_of(wire) == ["a\n", "b\n"]
        await wire.write(LONG)
        await wire.flush()
    assert (tmp_path / "out").read_text() == LONG


@pytest.mark.anyio
async def test_waiting_for_a_line_can_be_cancelled(pipes: tuple[int, int, int, int]) -> None:
    _, _, incoming, outgoing = pipes
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lines_of, Wire(incoming, outgoing))
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()


@pytest.mark.anyio
async def test_a_client_that_does_not_read_holds_nobody_for_ever(
    pipes: tuple[int, int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codemode.runtime.cli.stdio._GRACE_S", 0)
    to_wire, _, incoming, outgoing = pipes
    wire = Wire(incoming, outgoing)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wire.write, LONG)
            await anyio.wait_all_tasks_blocked()
            os.close(to_wire)
            assert await lines_of(wire) == []
        await wire.write(LONG)


@pytest.mark.anyio
async def test_a_client_that_reads_late_gets_it_all() -> None:
    ours, theirs = socket.socketpair()
    read = bytearray()
    with ours, theirs, anyio.fail_after(5):
        wire = Wire(theirs.fileno(), theirs.fileno())
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wire.write, LONG)
            while len(read) < len(LONG):
                await anyio.wait_readable(ours)
                read += ours.recv(1 << 16)
    assert read.decode() == LONG


@pytest.mark.anyio
async def test_who_closes_its_reading_end_ends_the_wire(pipes: tuple[int, int, int, int]) -> None:
    to_wire, from_wire, incoming, outgoing = pipes
    wire = Wire(incoming, outgoing)
    found: list[list[str]] = []

    async def read() -> None:
        found.append(await lines_of(wire))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            await anyio.wait_all_tasks_blocked()
            os.close(from_wire)
            await wire.write("nobody hears it\n")
    assert found == [[]]
    os.write(to_wire, b"late\n")
    assert await lines_of(wire) == []


def test_what_is_printed_meanwhile_is_not_on_the_wire(capfd: pytest.CaptureFixture[str]) -> None:
    with claimed() as (reading, writing):
        os.write(1, b"a tool says something\n")
        assert os.read(0, 1) == b""
        os.write(writing, b"{}\n")
        assert not os.get_inheritable(reading)
        assert not os.get_inheritable(writing)
    os.write(1, b"and after it\n")
    said = capfd.readouterr()
    assert said.out == "{}\nand after it\n"
    assert "a tool says something\n" in said.err
