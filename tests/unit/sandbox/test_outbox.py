"""What one guest has not read: who else must not suffer for it."""

from __future__ import annotations

import os
import socket

import anyio
import pytest

from codemode.sandbox.incoming import Incoming
from codemode.sandbox.outbox import Outbox

pytestmark = pytest.mark.anyio


async def test_a_descriptor_can_be_another_guests_as_soon_as_it_is_closed() -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    outbox = Outbox(ours)
    assert outbox.put([b"x" * 1_000_000])
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(outbox.write_later)
            await anyio.wait_all_tasks_blocked()
            outbox.close()
            number = ours.detach()
            next_ours, next_theirs = socket.socketpair()
            os.dup2(next_ours.detach(), number)  # closes the old one, which nobody writes to now
            with socket.socket(fileno=number) as host, next_theirs as guest, theirs:
                host.setblocking(False)
                incoming = Incoming(host)

                async def speak() -> None:
                    await anyio.wait_all_tasks_blocked()
                    guest.send(b"hello")

                tasks.start_soon(speak)
                assert await incoming.receive() == b"hello"
                incoming.close()
