"""One fork of the fork server: what the child is told first, and that it never returns."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Final

from codemode.sandbox.jail import kernel, steps

_PAGE_BYTES: Final = os.sysconf("SC_PAGESIZE")
#: Exit status of a guest whose image raised or could not be jailed.
_BROKEN: Final = 70


class Forks:
    """Forks this process, into a pid namespace of the child's own where there is one."""

    def __init__(self, confined: steps.Confined, control: socket.socket) -> None:
        self._address_space = confined.address_space
        self._control = control
        self._fork = kernel.fork if confined.pids is None else confined.pids.fork

    def base_bytes(self) -> int:
        """The address space of this process now; works without /proc, by an old descriptor."""
        return int(os.pread(self._address_space, 64, 0).split()[0]) * _PAGE_BYTES

    def fork(self, act: Callable[[int], None]) -> int:
        """Fork, and end the child after `act(base_bytes)`, whatever happens in it.

        Raises:
            OSError: No process can be had.
        """
        base = self.base_bytes()
        pid = self._fork()
        if pid == 0:
            try:
                self._control.detach()  # a close() by its finaliser would be a violation
                act(base)
                os._exit(0)
            finally:
                os._exit(_BROKEN)
        return pid
