"""Resource limits: which ones a guest gets, and how the host lowers two of them for a run.

Address space and processor time stop a program; the others take away what a guest never needs.
Soft and hard are always equal, so that nothing can be raised again and the end is a SIGKILL.

Source: getrlimit(2), prlimit(2); SANDBOX 3.1.
"""

from __future__ import annotations

import ctypes
import resource
import struct
from typing import Final

from codemode.sandbox.jail.kernel import Prepared

#: Inherited from the fork server, which needs none of them either.
INHERITED: Final = (
    (resource.RLIMIT_CORE, 0),  # a core file would hold the program's data
    (resource.RLIMIT_FSIZE, 0),  # nothing is written to a file
    (resource.RLIMIT_MEMLOCK, 0),  # no memory is pinned
    (resource.RLIMIT_MSGQUEUE, 0),  # no message queues
)

#: Set in each guest: the fork server still opens descriptors and forks.
OWN: Final = (
    (resource.RLIMIT_NOFILE, 0),  # no further descriptor, whatever the call
    (resource.RLIMIT_NPROC, 0),  # no further process (root is not held by it; seccomp is)
)


def inherit() -> None:
    """Lower the limits of this process that guests are to inherit."""
    for kind, value in INHERITED:
        resource.setrlimit(kind, (value, value))


class GuestLimits:
    """The limits that a guest sets on itself, prepared once.

    Args:
        memory_bytes: Address space above what the fork server has.
        cpu_s: Whole seconds.
    """

    __slots__ = ("_as", "_calls", "_memory_bytes")

    def __init__(self, *, memory_bytes: int, cpu_s: int) -> None:
        self._memory_bytes = memory_bytes
        self._as = ctypes.create_string_buffer(16)
        fixed = ((resource.RLIMIT_CPU, cpu_s), *OWN)
        self._calls = (
            Prepared("prlimit64", 0, resource.RLIMIT_AS, self._as, None),
            *(Prepared("prlimit64", 0, kind, _pair(value), None) for kind, value in fixed),
        )

    def apply(self, base_bytes: int) -> None:
        """Limit this process for ever.

        Args:
            base_bytes: Address space of the fork server at the fork.

        Raises:
            OSError: The kernel refused one.
        """
        total = base_bytes + self._memory_bytes
        struct.pack_into("=QQ", self._as, 0, total, total)
        for call in self._calls:
            call()


def lower(pid: int, *, address_space_bytes: int, cpu_s: int) -> None:
    """Lower the limits of a waiting guest to those of its run; called by the host.

    Preconditions: `pid` was not reaped and cannot be meanwhile.

    Raises:
        OSError: The guest is gone, or has less already.
    """
    resource.prlimit(pid, resource.RLIMIT_AS, (address_space_bytes, address_space_bytes))
    resource.prlimit(pid, resource.RLIMIT_CPU, (cpu_s, cpu_s))


def _pair(value: int) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(struct.pack("=QQ", value, value), 16)
