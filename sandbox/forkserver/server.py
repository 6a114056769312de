"""What the fork server does once it is ready: fork jailed guests of its image on request.

Single-threaded and without an event loop, because it forks: it polls its control socket and the
guests that it is to reap. It never runs a program, never reads from a guest, and never outlives
its control socket.

Source: SANDBOX 1.2 to 1.6.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn, Protocol

from codemode.sandbox.forkserver import protocol
from codemode.sandbox.forkserver.forks import Forks
from codemode.sandbox.jail import steps
from codemode.sandbox.jail.seccomp import BRIDGE_FD

#: Guests that nobody asks about are reaped after the next fork, or when nothing came for so long.
_TIDY_MS: Final = 20
#: The image matures when nothing came for so long, or at last after so many guests.
_YOUNG_GUESTS: Final = 8


class Image(Protocol):
    """What guests are copies of. A module; `settle`, `mature` and `warm` may be missing."""

    def prepare(self, config: dict[str, Any]) -> None:
        """Import and build what guests need; run once, before anything is confined."""
        ...

    def settle(self) -> None:
        """Take the form that guests find; run once, after this process was confined."""
        ...

    def mature(self) -> None:
        """Do what makes guests cheaper and takes a while; run once, when nobody waits for it."""
        ...

    def warm(self) -> None:
        """Touch what the first program would; run in guests that nobody waits for."""
        ...

    def serve(self, fd: int) -> None:
        """Do what the host says on `fd`; run in each guest."""
        ...


def do_nothing() -> None:
    """What an image without `settle` or `warm` does there."""


def _charged_cpu_s(pid: int) -> float:
    """Processor time of a process as RLIMIT_CPU counts it; 0 where the kernel does not tell.

    Source: the clock ids of linux/posix-timers.h, with CPUCLOCK_PROF.
    """
    try:
        return time.clock_gettime(~pid << 3)
    except OSError:
        return 0.0


@dataclass(slots=True)
class _Record:
    """A guest that was not reaped yet."""

    pid: int
    pidfd: int


class Server:
    """Answers the host's requests until its end."""

    def __init__(
        self, control: socket.socket, forks: Forks, jail: steps.Jail | None, image: Image
    ) -> None:
        self._control = control
        self._forks = forks
        self._jail = jail
        self._serve = image.serve
        self._warm: Callable[[], None] = getattr(image, "warm", do_nothing)
        self._mature: Callable[[], None] | None = getattr(image, "mature", None)
        self._orders: deque[protocol.Fork] = deque()  # guests that are still to be forked
        self._guests: dict[int, _Record] = {}
        self._awaited: dict[int, int] = {}  # pidfd: id, of those whose end the host wants to know
        self._forgotten: deque[int] = deque()  # ids of the others that are dead, or soon will be
        self._poll = select.poll()
        self._next_id = 1

    def run(self) -> NoReturn:
        """Serve. Ends the process, and so all guests, when the host closes the socket."""
        self._poll.register(self._control, select.POLLIN)
        try:
            while True:
                events = self._poll.poll(self._patience_ms())
                for descriptor, _ in events:
                    if descriptor in self._awaited:
                        self._report_end(self._awaited[descriptor])
                    else:
                        self._answer(self._control.recv(protocol.MESSAGE_BYTES))
                if not events and self._orders:
                    self._fork_next()
                elif not events:
                    self._reap_forgotten()
                    self._grow_up()
        except ConnectionError:
            self._end()

    def _patience_ms(self) -> int | None:
        """How long to wait for a request; between two forks only for one that is here already."""
        if self._orders:
            return 0
        return _TIDY_MS if self._forgotten or self._mature is not None else None

    def _answer(self, packet: bytes) -> None:
        if not packet:
            self._end()
        request = protocol.decode_request(packet)
        if isinstance(request, protocol.Fork):
            self._forgotten.extend(request.forgotten)
            if request.count:
                self._orders.append(request)
            elif not self._orders:
                self._reap_forgotten()
        elif isinstance(request, protocol.Withdraw):
            self._withdraw(request.count)
        else:
            pidfd = self._guests[request.id].pidfd
            self._awaited[pidfd] = request.id
            self._poll.register(pidfd, select.POLLIN)

    def _fork_next(self) -> None:
        """Fork one guest of the oldest order, and tidy up after the last of it."""
        order = self._orders.popleft()
        if order.count > 1:
            self._orders.appendleft(replace(order, count=order.count - 1))
        self._fork_guest(is_urgent=order.is_urgent)
        if order.count == 1:
            self._reap_forgotten()
            if self._next_id > _YOUNG_GUESTS:
                self._grow_up()

    def _grow_up(self) -> None:
        """Have the image mature, once: not while somebody waits for the first result."""
        if self._mature is not None:
            self._mature()
            self._mature = None

    def _withdraw(self, asked: int) -> None:
        """Give up the youngest orders, as far as they go."""
        left = asked
        while left and self._orders:
            order = self._orders.pop()
            if order.count > left:
                self._orders.append(replace(order, count=order.count - left))
            left -= min(order.count, left)
        self._control.send(protocol.Withdrawn(asked, asked - left).encode())
        if not self._orders:
            self._reap_forgotten()

    def _end(self) -> NoReturn:
        """The host is gone: end every guest, reap it, and end."""
        for record in self._guests.values():
            signal.pidfd_send_signal(record.pidfd, signal.SIGKILL)
        for record in self._guests.values():
            os.waitpid(record.pid, 0)
        os._exit(0)

    def _fork_guest(self, *, is_urgent: bool) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            # The kernel then puts the guest's pid, as the host sees it, on the guest's first byte.
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            base = self._forks.base_bytes()

            def act(base_bytes: int) -> None:
                ours.detach()
                self._become_guest(theirs.detach(), base_bytes)
                if not is_urgent:
                    self._warm()
                self._serve(BRIDGE_FD)

            try:
                pid = self._fork(act)
            except OSError as error:
                self._control.send(protocol.ForkError(error.errno or 0).encode())
                return
            pidfd = os.pidfd_open(pid)
            self._guests[self._next_id] = _Record(pid, pidfd)
            message = protocol.Guest(self._next_id, base).encode()
            socket.send_fds(self._control, [message], [ours.fileno(), pidfd])
        self._next_id += 1

    def _fork(self, act: Callable[[int], None]) -> int:
        """Fork; where there is no place for a process, once those that are ending have ended.

        Raises:
            OSError: There is none then either.
        """
        try:
            return self._forks.fork(act)
        except OSError:
            self._reap_forgotten(must_wait=True)
            return self._forks.fork(act)

    def _become_guest(self, bridge: int, base_bytes: int) -> None:
        if self._jail is None:
            os.dup2(bridge, BRIDGE_FD, inheritable=False)
            os.closerange(BRIDGE_FD + 1, bridge + 1024)
        else:
            self._jail.enter(bridge, base_bytes)
        os.write(BRIDGE_FD, protocol.JAILED)

    def _report_end(self, guest_id: int) -> None:
        """Reap a dead guest, and tell the host how it ended."""
        record = self._guests.pop(guest_id)
        del self._awaited[record.pidfd]
        self._poll.unregister(record.pidfd)
        charged_cpu_s = _charged_cpu_s(record.pid)  # gone once it is reaped
        _, status, usage = os.wait4(record.pid, 0)
        os.close(record.pidfd)
        cpu_s = usage.ru_utime + usage.ru_stime
        exited = protocol.Exited(
            guest_id, status, cpu_s, max(cpu_s, charged_cpu_s), usage.ru_maxrss * 1024
        )
        self._control.send(exited.encode())

    def _reap_forgotten(self, *, must_wait: bool = False) -> None:
        """Reap the guests that nobody asks about, as far as they are dead.

        Args:
            must_wait: Wait for their ends: each was killed before it was forgotten.
        """
        for _ in range(len(self._forgotten)):
            guest_id = self._forgotten.popleft()
            record = self._guests[guest_id]
            if os.waitpid(record.pid, 0 if must_wait else os.WNOHANG)[0]:
                os.close(record.pidfd)
                del self._guests[guest_id]
            else:
                self._forgotten.append(guest_id)
