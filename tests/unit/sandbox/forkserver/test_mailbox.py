"""Many tasks that wait on one socket."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import anyio
import pytest

from codemode.sandbox.forkserver.mailbox import Mailbox, Ticket

pytestmark = pytest.mark.anyio


class Numbers:
    """A socket on which each byte settles the ticket of that number."""

    def __init__(self) -> None:
        self.far, self.near = socket.socketpair()
        self.near.setblocking(False)
        self.tickets: dict[int, Ticket[str]] = {}
        self.mailbox = Mailbox(self.near, self.drain)

    def drain(self) -> None:
        for number in self.near.recv(100):
            self.tickets[number].settle(f"number {number}")

    def ticket(self, number: int) -> Ticket[str]:
        self.tickets[number] = Ticket()
        return self.tickets[number]


@pytest.fixture
def numbers() -> Iterator[Numbers]:
    made = Numbers()
    yield made
    made.far.close()
    made.near.close()


async def test_each_task_gets_its_own_message_in_any_order(numbers: Numbers) -> None:
    got: list[str] = []
    arrived = {number: anyio.Event() for number in range(5)}

    async def wait(number: int) -> None:
        got.append(await numbers.mailbox.wait(numbers.ticket(number)))
        arrived[number].set()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for number in range(5):
                tasks.start_soon(wait, number)
            await anyio.wait_all_tasks_blocked()
            for number in (3, 0, 4, 1, 2):
                numbers.far.send(bytes([number]))
                await arrived[number].wait()
    assert got == [f"number {number}" for number in (3, 0, 4, 1, 2)]


async def test_another_task_goes_on_reading_when_the_reader_is_cancelled(numbers: Numbers) -> None:
    got: list[str] = []

    async def wait(number: int) -> None:
        got.append(await numbers.mailbox.wait(numbers.ticket(number)))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            scope = anyio.CancelScope()

            async def reader() -> None:
                with scope:
                    await wait(0)

            tasks.start_soon(reader)
            await anyio.wait_all_tasks_blocked()
            assert numbers.mailbox.is_read
            tasks.start_soon(wait, 1)
            tasks.start_soon(wait, 2)
            await anyio.wait_all_tasks_blocked()
            scope.cancel()
            await anyio.wait_all_tasks_blocked()
            assert numbers.mailbox.is_read
            numbers.far.send(bytes([2, 1]))
    assert sorted(got) == ["number 1", "number 2"]


async def test_a_settled_ticket_is_not_waited_for(numbers: Numbers) -> None:
    ticket = numbers.ticket(1)
    ticket.settle("at once")
    assert await numbers.mailbox.wait(ticket) == "at once"


async def test_a_failed_ticket_raises_its_error(numbers: Numbers) -> None:
    ticket = numbers.ticket(1)
    ticket.fail(LookupError("gone"))
    with pytest.raises(LookupError, match="gone"):
        await numbers.mailbox.wait(ticket)


async def test_two_tasks_may_wait_for_the_same_ticket(numbers: Numbers) -> None:
    got: list[str] = []
    ticket = numbers.ticket(1)

    async def wait() -> None:
        got.append(await numbers.mailbox.wait(ticket))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            numbers.far.send(bytes([1]))
    assert got == ["number 1"] * 3
