"""One fork server process as the host sees it: its messages, its spare guests, its end.

A generation is started, serves, and is retired or lost; it is never repaired. It holds all that
belongs to that process, so that a replacement can serve while the old guests still run.

Source: SANDBOX 1.5 to 1.7.
"""

from __future__ import annotations

import json
import os
import socket
from collections import deque
from typing import Any, Final

import anyio

from codemode.sandbox.cgroup import Group
from codemode.sandbox.errors import GuestLostError, JailError, SandboxUnavailableError
from codemode.sandbox.forkserver import protocol
from codemode.sandbox.forkserver.demand import Demand
from codemode.sandbox.forkserver.guest import Spare
from codemode.sandbox.forkserver.launch import launch
from codemode.sandbox.forkserver.mailbox import Mailbox, Ticket
from codemode.sandbox.isolation import IsolationReport

_CLOSE_GRACE_S: Final = 5.0
#: So many ids fit in one message with ease.
_MOST_FORGOTTEN: Final = 1_000


class Generation:
    """A fork server process.

    Args:
        order: See `launch.make_order`.
        spares: How many guests wait when there is little to do.
        max_spares: How many wait at most under load.
        group: Limits all its guests together.

    Raises:
        SandboxUnavailableError: The process cannot be started.
    """

    def __init__(
        self, order: bytes, *, spares: int, max_spares: int, group: Group | None = None
    ) -> None:
        launched = launch(order, group)
        self._has_group = group is not None
        self._process = launched.process
        self._control = launched.control
        self._pidfd = launched.pidfd
        self._notes = launched.missing
        self._mailbox = Mailbox(self._control, self.drain)
        self._ready: Ticket[IsolationReport] = Ticket()
        self._takers: deque[Ticket[Spare]] = deque()
        self._exits: dict[int, Ticket[protocol.Exited]] = {}
        self._spares: deque[Spare] = deque()
        self._outbox: deque[bytes] = deque()
        self._forgotten: list[int] = []  # ids of guests that are to be reaped, and no more
        self._demand = Demand(least=spares, most=max_spares)
        self._is_retired = False
        self._closing = anyio.Lock()
        self._is_closed = False
        self._in_use = 0
        self.is_lost = False
        self.taken = 0

    @property
    def pid(self) -> int:
        """The process that was started; the fork server itself may be its child."""
        return self._process.pid

    @property
    def report(self) -> IsolationReport | None:
        """What its self-test proved; None until it is ready."""
        return self._ready.value

    async def ready(self) -> IsolationReport:
        """Wait for the report of its self-test.

        Raises:
            SandboxUnavailableError: The process ended instead; the message says why.
        """
        return await self._mailbox.wait(self._ready)

    def fill(self) -> None:
        """Ask for as many guests as are wanted and not on their way; say which ones are done with.

        While programs run, warming up would take the processor from them; and whoever has waited
        for the start waits for the first program too.
        """
        count = 0
        if not self._is_retired:
            count = self._demand.order(len(self._spares), len(self._takers))
        if count or self._forgotten:
            forgotten = tuple(self._forgotten[:_MOST_FORGOTTEN])
            del self._forgotten[:_MOST_FORGOTTEN]
            self._send(protocol.Fork(count, self._is_busy(), forgotten).encode())

    def _is_busy(self) -> bool:
        return bool(self._takers or self._in_use or not self.taken)

    async def take(self) -> Spare:
        """Take a guest; the longest waiting task is served first.

        Raises:
            GuestLostError: The fork server died or cannot fork. No program was started.
        """
        if self._has_hung_up():
            self._lose()
        if not self._spares:
            self.drain()
        self.taken += 1
        self._in_use += 1
        spare = self._next_spare()
        if spare is None:
            try:
                spare = await self._await_spare()
            except BaseException:
                self._in_use -= 1
                self._shrink()
                self._end_if_unused()
                raise
        # While spares are left, their number is made up when a guest is given back: the fork
        # would compete with the run that begins now.
        if not self._spares and not self._demand.has_order():
            self.fill()
        return spare

    def _has_hung_up(self) -> bool:
        """Whether the fork server is dead; cheaper than taking in what it sent."""
        try:
            return not self._control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _next_spare(self) -> Spare | None:
        if self._takers or not self._spares:
            self._demand.missed()
            return None
        self._demand.met()
        return self._spares.popleft()

    async def _await_spare(self) -> Spare:
        if self.is_lost:
            raise GuestLostError("the fork server died")
        ticket: Ticket[Spare] = Ticket()
        self._takers.append(ticket)
        self.fill()
        try:
            return await self._mailbox.wait(ticket)
        except BaseException:
            if ticket.value is not None:
                self._put_back(ticket.value)
            elif ticket in self._takers:
                self._takers.remove(ticket)
            raise

    def _put_back(self, spare: Spare) -> None:
        """A task that gave up had been given this guest: it is the next one's."""
        if self._takers:
            self._takers.popleft().settle(spare)
        elif self.is_lost or self._is_retired or self._demand.has_enough(len(self._spares)):
            self.drop(spare)
        else:
            self._spares.appendleft(spare)

    def _shrink(self) -> None:
        """A task does not wait any more: its guest is not to be forked, or to be ended."""
        if not self.is_lost:
            count = self._demand.ask_back(len(self._spares), len(self._takers))
            if count:
                self._send(protocol.Withdraw(count).encode())
        self.tidy()

    async def reap(self, guest_id: int) -> protocol.Exited:
        """Wait for the end of a guest.

        Raises:
            GuestLostError: The fork server died, and the guest with it.
        """
        ticket = self._exits.get(guest_id)
        if ticket is None:
            if self.is_lost:
                raise GuestLostError("the fork server died, and the guest with it")
            ticket = self._exits[guest_id] = Ticket()
            self._send(protocol.Reap(guest_id).encode())
        return await self._mailbox.wait(ticket)

    def release(self, guest_id: int) -> None:
        """A guest that was taken is dead or dying, and nobody needs it any more; `tidy` is due."""
        if self._exits.pop(guest_id, None) is None:
            self._forgotten.append(guest_id)
        self._in_use -= 1
        self._end_if_unused()

    def tidy(self) -> None:
        """Do between two runs what the next one would otherwise wait for."""
        self.drain()
        for spare in tuple(self._spares):
            try:
                spare.try_jailed()
            except JailError:
                self._spares.remove(spare)
                self.drop(spare)
        self.fill()

    def drop(self, spare: Spare) -> None:
        """Kill a spare that nobody gets."""
        spare.discard()
        self._forgotten.append(spare.id)

    def give_back(self, spare: Spare) -> None:
        """A guest that was taken is not handed out after all."""
        spare.discard()
        self.release(spare.id)
        self.tidy()

    def retire(self) -> None:
        """Give out no more guests; end when the last one is released."""
        self._is_retired = True
        while self._spares:
            self.drop(self._spares.popleft())
        self.fill()
        self._end_if_unused()

    def _end_if_unused(self) -> None:
        if self._is_retired and self._in_use == 0:
            self._shut_down()

    def _shut_down(self) -> None:
        """End the process by the end of its control socket."""
        try:
            self._control.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it is gone already

    def has_ended(self) -> bool:
        """Reap the process if it has ended, and close what belongs to it."""
        if self._is_closed:
            return True
        if self._process.poll() is None or self._mailbox.is_read:
            return False
        self.drain()
        self._lose()
        self._is_closed = True
        self._control.close()
        os.close(self._pidfd)
        return True

    async def aclose(self) -> None:
        """End the process and all its guests, and reap it; idempotent."""
        self._shut_down()
        self._lose()
        with anyio.CancelScope(shield=True):  # bounded: the end of a killed process
            async with self._closing:
                with anyio.move_on_after(_CLOSE_GRACE_S):
                    await self._ended()
                self._process.kill()
                await self._ended()
                while not self.has_ended():
                    await anyio.lowlevel.checkpoint()  # until the reading task has left

    async def _ended(self) -> None:
        if not self._is_closed and self._process.poll() is None:
            await anyio.wait_readable(self._pidfd)

    def drain(self) -> None:
        """Take in every message that has come. Never blocks."""
        self._flush()
        if self._mailbox.is_read:
            return  # a task waits for the next message, and must not wait in vain
        while not self.is_lost:
            try:
                packet, descriptors, _, _ = socket.recv_fds(
                    self._control, protocol.MESSAGE_BYTES, 2, socket.MSG_CMSG_CLOEXEC
                )
            except BlockingIOError:
                return
            except OSError:
                packet, descriptors = b"", []
            if packet:
                self._take_in(packet, descriptors)
            else:
                self._lose()

    def _take_in(self, packet: bytes, descriptors: list[int]) -> None:
        if packet[:1] == protocol.READY:
            self._ready.settle(self._report(json.loads(packet[1:])))
            return
        if packet[:1] == protocol.FAILED:
            text = packet[1:].decode(errors="replace")
            self._ready.fail(SandboxUnavailableError(f"the fork server failed:\n{text}"))
            return
        message = protocol.decode_report(packet)
        if isinstance(message, protocol.Guest):
            self._take_in_guest(message, descriptors)
        elif isinstance(message, protocol.Withdrawn):
            self._demand.withdrawn(message.asked, message.taken)
        elif isinstance(message, protocol.Exited):
            ticket = self._exits.get(message.id)
            if ticket is not None:
                ticket.settle(message)
        else:
            self._take_in_error(message)

    def _take_in_guest(self, message: protocol.Guest, descriptors: list[int]) -> None:
        self._demand.came()
        end = socket.socket(fileno=descriptors[0])
        end.setblocking(False)
        spare = Spare(message.id, end, descriptors[1], message.base_bytes)
        if self._takers:
            self._takers.popleft().settle(spare)
        elif self._is_retired or self._demand.has_enough(len(self._spares)):
            self.drop(spare)  # its order was of a task that gave up
        else:
            self._spares.append(spare)

    def _take_in_error(self, message: protocol.ForkError) -> None:
        self._demand.came()
        if self._takers:
            reason = os.strerror(message.errno)
            self._takers.popleft().fail(GuestLostError(f"a guest cannot be forked: {reason}"))

    def _report(self, found: dict[str, Any]) -> IsolationReport:
        return IsolationReport(
            level=found["level"],
            userns=found["userns"],
            pidns=found["pidns"],
            netns=found["netns"],
            mount=found["mount"],
            landlock_abi=found["landlock_abi"],
            seccomp=found["seccomp"],
            cgroup=self._has_group,
            missing=(*found["missing"], *self._notes),
            probes=tuple((name, verdict) for name, verdict in found["probes"]),
        )

    def _send(self, packet: bytes) -> None:
        self._outbox.append(packet)
        self._flush()

    def _flush(self) -> None:
        """Send what can be sent; the rest goes with the next message."""
        while self._outbox:
            try:
                self._control.send(self._outbox[0])
            except BlockingIOError:
                return
            except OSError:
                self._outbox.clear()  # the end of the socket is seen by drain()
                return
            self._outbox.popleft()

    def _lose(self) -> None:
        """The process is gone: nothing that was asked of it will come."""
        if self.is_lost:
            return
        self.is_lost = True
        while self._spares:
            self._spares.popleft().discard()
        if not self._ready.is_settled:
            self._ready.fail(SandboxUnavailableError("the fork server ended before it was ready"))
        while self._takers:
            self._takers.popleft().fail(GuestLostError("the fork server died"))
        for ticket in self._exits.values():
            if not ticket.is_settled:
                ticket.fail(GuestLostError("the fork server died, and the guest with it"))
