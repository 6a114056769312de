"""The messages of the control socket, between the host's client and its own fork server.

A SOCK_SEQPACKET socket, so that a packet is a message; the first byte says which. Both ends are
our own code: no guest ever holds this socket. Integers are little-endian.

    host to fork server
        (one byte, with a descriptor)   the order: a file of JSON; sent once
        K count urgent id...            fork this many guests, urgently: without warming them up;
                                        and reap the guests of these ids
        U count                         take back so many orders of guests that are not forked yet
        R id                            reap guest `id` once it is dead, and answer with X
    fork server to host
        Y json                          ready: the isolation report
        F text                          could not start: a traceback
        G id base, two descriptors      a guest: its socket and its pidfd
        E errno                         a guest could not be forked
        W asked taken                   of so many orders asked back, so many were not forked yet
        X id status cpu charged memory  a guest's end, as the kernel tells of it

The end of the socket ends the fork server and all its guests.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

READY: Final = b"Y"
FAILED: Final = b"F"

#: The greatest message without its descriptors.
MESSAGE_BYTES: Final = 1 << 16

#: What a guest writes on its bridge once it is jailed; the client consumes it.
JAILED: Final = b"J"

_FORK: Final = struct.Struct("<cI?")
_WITHDRAW: Final = struct.Struct("<cI")
_WITHDRAWN: Final = struct.Struct("<cII")
_REAP: Final = struct.Struct("<cQ")
_GUEST: Final = struct.Struct("<cQQ")
_ERROR: Final = struct.Struct("<ci")
_EXIT: Final = struct.Struct("<cQiddQ")


@dataclass(frozen=True, slots=True)
class Fork:
    """Fork `count` guests.

    Attributes:
        is_urgent: Tasks wait for them, or programs run: no time is spent on warming up.
        forgotten: Ids of guests that are dead or dying, and of whose end the host need not know.
    """

    count: int
    is_urgent: bool
    forgotten: tuple[int, ...] = ()

    def encode(self) -> bytes:
        """The packet."""
        ids = struct.pack(f"<{len(self.forgotten)}Q", *self.forgotten)
        return _FORK.pack(b"K", self.count, self.is_urgent) + ids


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Nobody waits for `count` of the guests that were ordered; fork them no more."""

    count: int

    def encode(self) -> bytes:
        """The packet."""
        return _WITHDRAW.pack(b"U", self.count)


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The answer to a `Withdraw`.

    Attributes:
        asked: Its count.
        taken: How many guests will not come; the others were forked before.
    """

    asked: int
    taken: int

    def encode(self) -> bytes:
        """The packet."""
        return _WITHDRAWN.pack(b"W", self.asked, self.taken)


@dataclass(frozen=True, slots=True)
class Reap:
    """Reap guest `id` once it is dead, and say how it ended."""

    id: int

    def encode(self) -> bytes:
        """The packet."""
        return _REAP.pack(b"R", self.id)


@dataclass(frozen=True, slots=True)
class Guest:
    """A guest was forked; its socket's host end and its pidfd come along.

    Attributes:
        base_bytes: The fork server's address space at the fork.
    """

    id: int
    base_bytes: int

    def encode(self) -> bytes:
        """The packet."""
        return _GUEST.pack(b"G", self.id, self.base_bytes)


@dataclass(frozen=True, slots=True)
class ForkError:
    """The kernel refused to fork a guest."""

    errno: int

    def encode(self) -> bytes:
        """The packet."""
        return _ERROR.pack(b"E", self.errno)


@dataclass(frozen=True, slots=True)
class Exited:
    """A guest's end.

    Attributes:
        status: As wait4 gives it.
        cpu_s: Processor time, exactly.
        charged_cpu_s: Processor time as RLIMIT_CPU counts it: whole ticks, which on a busy
            machine can be a good deal more than the exact time.
    """

    id: int
    status: int
    cpu_s: float
    charged_cpu_s: float
    peak_memory_bytes: int

    def encode(self) -> bytes:
        """The packet."""
        return _EXIT.pack(
            b"X",
            self.id,
            self.status,
            self.cpu_s,
            self.charged_cpu_s,
            self.peak_memory_bytes,
        )


def decode_request(packet: bytes) -> Fork | Withdraw | Reap:
    """Decode what the host sent.

    Raises:
        ValueError: Not a request; a bug of ours.
    """
    try:
        if packet[:1] == b"K":
            _, count, is_urgent = _FORK.unpack_from(packet)
            ids = packet[_FORK.size :]
            return Fork(count, is_urgent, struct.unpack(f"<{len(ids) // 8}Q", ids))
        if packet[:1] == b"U":
            return Withdraw(*_WITHDRAW.unpack(packet)[1:])
        if packet[:1] == b"R":
            return Reap(*_REAP.unpack(packet)[1:])
    except struct.error as error:
        raise ValueError(f"a request of {len(packet)} bytes") from error
    raise ValueError(f"no request begins with {packet[:1]!r}")


def decode_report(packet: bytes) -> Guest | ForkError | Withdrawn | Exited:
    """Decode what the fork server sent after it was ready.

    Raises:
        ValueError: Not a report; a bug of ours.
    """
    try:
        if packet[:1] == b"G":
            return Guest(*_GUEST.unpack(packet)[1:])
        if packet[:1] == b"X":
            return Exited(*_EXIT.unpack(packet)[1:])
        if packet[:1] == b"E":
            return ForkError(*_ERROR.unpack(packet)[1:])
        if packet[:1] == b"W":
            return Withdrawn(*_WITHDRAWN.unpack(packet)[1:])
    except struct.error as error:
        raise ValueError(f"a report of {len(packet)} bytes") from error
    raise ValueError(f"no report begins with {packet[:1]!r}")
