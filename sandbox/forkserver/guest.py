"""A guest as the host holds it: a socket, a pidfd, and the one answer to how it ended.

Source: SANDBOX 1.6, 3.4.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

import anyio

from codemode.sandbox.errors import GuestLostError, JailError
from codemode.sandbox.forkserver import protocol
from codemode.sandbox.jail import rlimits
from codemode.sandbox.limits import Limits

Cause = Literal["exited", "killed_by_host", "violation", "cpu", "memory", "crash"]

_CREDENTIALS: Final = struct.Struct("=iII")
#: See proc_pid_status(5).
_PEAK: Final = re.compile(rb"^VmHWM:\s*(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """How a guest ended.

    Attributes:
        signal: The signal that ended it, or 0.
        status: Its exit status, or 0. 70 means that the image itself raised.
        cpu_s: Processor time, user and system.
        peak_memory_bytes: Greatest resident size, what it shares with the fork server included.
    """

    cause: Cause
    signal: int
    status: int
    cpu_s: float
    peak_memory_bytes: int


def decide(exited: protocol.Exited, *, was_killed: bool, cpu_limit_s: int) -> Exit:
    """The cause of a death, from what the kernel says of it.

    Args:
        exited: The fork server's report.
        cpu_limit_s: What the guest's limit was.
        was_killed: The host sent a SIGKILL before the end was known.
    """
    number = os.WTERMSIG(exited.status) if os.WIFSIGNALED(exited.status) else 0
    return Exit(
        cause=_cause(number, exited.charged_cpu_s, was_killed=was_killed, cpu_limit_s=cpu_limit_s),
        signal=number,
        status=0 if number else os.WEXITSTATUS(exited.status),
        cpu_s=exited.cpu_s,
        peak_memory_bytes=exited.peak_memory_bytes,
    )


def _cause(number: int, charged_cpu_s: float, *, was_killed: bool, cpu_limit_s: int) -> Cause:
    if number == 0:
        return "exited"
    if number == signal.SIGSYS:
        return "violation"
    if number != signal.SIGKILL:
        return "crash"
    if was_killed:
        return "killed_by_host"
    return "cpu" if charged_cpu_s >= cpu_limit_s else "memory"


@dataclass(slots=True)
class Spare:
    """A guest that waits, jailed or about to be.

    Attributes:
        pid: As the host sees it, vouched for by the kernel; 0 until the guest is jailed.
    """

    id: int
    socket: socket.socket
    pidfd: int
    base_bytes: int
    pid: int = 0

    async def jailed(self) -> None:
        """Wait until the guest says, from inside its jail, that it is ready.

        Raises:
            JailError: It ended before.
        """
        while not self.try_jailed():
            await anyio.wait_readable(self.socket)

    def try_jailed(self) -> bool:
        """Whether the guest has said so; never blocks.

        Raises:
            JailError: It ended before.
        """
        if not self.pid and not self._take_in_word():
            return False
        if self._has_ended():
            raise JailError("a guest ended while it waited")
        return True

    def _take_in_word(self) -> bool:
        """Read the guest's first byte, and who wrote it, if it has come."""
        try:
            data, ancillary, _, _ = self.socket.recvmsg(1, socket.CMSG_SPACE(_CREDENTIALS.size))
        except BlockingIOError:
            return False
        except ConnectionError:
            data, ancillary = b"", []
        if data != protocol.JAILED:
            raise JailError("a guest ended before it was jailed")
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                self.pid = _CREDENTIALS.unpack(content)[0]
        if not self.pid:
            raise JailError("the kernel did not say who is jailed")
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        return True

    def _has_ended(self) -> bool:
        """Whether a jailed guest is gone; one that waits for its program says nothing."""
        try:
            self.socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except ConnectionError:
            return True
        return True

    def lower(self, limits: Limits, ceilings: Limits) -> None:
        """Give the guest the limits of its run; it has the ceilings until then.

        Raises:
            JailError: The guest is gone.
        """
        if (limits.memory_bytes, limits.cpu_s) == (ceilings.memory_bytes, ceilings.cpu_s):
            return
        try:
            rlimits.lower(
                self.pid,
                address_space_bytes=self.base_bytes + limits.memory_bytes,
                cpu_s=limits.cpu_s,
            )
        except OSError as error:
            raise JailError("a guest ended before it got its limits") from error

    def discard(self) -> None:
        """Kill the guest and close its descriptors."""
        kill(self.pidfd)
        self.socket.close()
        os.close(self.pidfd)


def kill(pidfd: int) -> None:
    """Kill a guest that may be dead already."""
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    except ProcessLookupError:
        return


class Guest:
    """A jailed guest that belongs to the caller until `close`.

    Attributes:
        socket: The host's end of the bridge, non-blocking; the guest has the other as its
            descriptor 3. Nothing was sent or received on it but the handshake.
        pid: As the host sees it; for reports only, signals go by the pidfd.
    """

    def __init__(
        self,
        spare: Spare,
        *,
        cpu_limit_s: int,
        reap: Callable[[], Awaitable[protocol.Exited]],
        release: Callable[[], None],
    ) -> None:
        self.socket = spare.socket
        self.pid = spare.pid
        self._pidfd = spare.pidfd
        self._cpu_limit_s = cpu_limit_s
        self._reap = reap
        self._release = release
        self._was_killed = False
        self._is_closed = False
        self._exit: Exit | None = None

    def cpu_s(self) -> float:
        """Processor time that the guest used so far; what is known of it when it has ended."""
        if self._exit is not None:
            return self._exit.cpu_s
        if self._is_closed:
            return 0.0  # its pid may belong to another process by now
        try:
            return time.clock_gettime((~self.pid << 3) | 2)  # its CPU clock, see clock_getres(2)
        except OSError:
            return 0.0

    def peak_memory_bytes(self) -> int:
        """Greatest resident size so far, as in `Exit`; 0 when the guest is gone."""
        if self._is_closed:
            return 0
        try:
            with open(f"/proc/{self.pid}/status", "rb") as status:
                found = _PEAK.search(status.read())
        except OSError:
            return 0
        return 0 if found is None else int(found[1]) << 10

    def kill(self) -> None:
        """Kill the guest now. Does nothing when it has ended or was closed."""
        if not self._is_closed and self._exit is None:
            self._was_killed = True
            kill(self._pidfd)

    async def wait(self) -> Exit:
        """Wait until the guest has ended and was reaped.

        After `close`, the end that was seen before; else a kill by the host. A guest that is lost
        with its fork server gives the cause `crash`.
        """
        if self._exit is None and self._is_closed:
            self._exit = _unseen("killed_by_host")
        if self._exit is None:
            try:
                exited = await self._reap()
            except GuestLostError:
                self._exit = _unseen("killed_by_host" if self._was_killed else "crash")
            else:
                self._exit = decide(
                    exited, was_killed=self._was_killed, cpu_limit_s=self._cpu_limit_s
                )
        return self._exit

    def close(self) -> None:
        """Kill the guest, close its descriptors, and give its place to another; idempotent."""
        if self._is_closed:
            return
        self.kill()
        self._is_closed = True
        self.socket.close()
        os.close(self._pidfd)
        self._release()


def _unseen(cause: Cause) -> Exit:
    return Exit(cause=cause, signal=signal.SIGKILL, status=0, cpu_s=0.0, peak_memory_bytes=0)
