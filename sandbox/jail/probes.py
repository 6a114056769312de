"""The self-test: jailed guests that try to get out, so that the jail is proven and not assumed.

Each probe makes one attempt in a guest of its own. It ends with the attempt's errno as its exit
status, or dies of SIGSYS; anything else means that the jail does not hold.

Source: SANDBOX 2.4.
"""

from __future__ import annotations

import errno
import mmap
import os
import signal
import socket
from collections.abc import Callable, Mapping
from typing import Final

#: Exit status of a probe whose attempt worked.
SUCCEEDED: Final = 0
#: Exit status of a probe that could not be jailed at all.
NOT_JAILED: Final = 255

_FOREIGN: Final = 4
_REFUSED: Final = ("killed", "EPERM")


def _fork() -> None:
    if os.fork() == 0:
        os._exit(SUCCEEDED)


PROBES: Final[Mapping[str, Callable[[], object]]] = {
    "open": lambda: os.open("/", os.O_RDONLY),
    "socket": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
    "fork": _fork,
    "execve": lambda: os.execve("/", ["/"], {}),  # noqa: S606 - must be refused
    "mmap PROT_EXEC": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC),
    "kill": lambda: os.kill(os.getpid(), 0),
    "foreign descriptor": lambda: os.read(_FOREIGN, 1),
}


def attempt(name: str) -> None:
    """Make one attempt from inside the jail and end the process with what came of it."""
    try:
        PROBES[name]()
    except OSError as error:
        os._exit(error.errno or NOT_JAILED)
    os._exit(SUCCEEDED)


def verdict(status: int) -> str:
    """What a probe's wait status says: "killed", "EPERM", or what went wrong.

    Args:
        status: As waitpid gives it.
    """
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "killed" if number == signal.SIGSYS else f"died of signal {number}"
    code = os.WEXITSTATUS(status)
    if code == SUCCEEDED:
        return "SUCCEEDED"
    if code == NOT_JAILED:
        return "could not be jailed"
    return errno.errorcode.get(code, str(code))


def held(verdicts: Mapping[str, str]) -> bool:
    """Whether every probe was tried and refused as it must be."""
    return not escaped(verdicts)


def escaped(verdicts: Mapping[str, str]) -> str:
    """The probes that were not refused as they must be, and what they met; "" when all were."""
    met = {name: verdicts.get(name, "not tried") for name in PROBES}
    return ", ".join(f"{name}: {what}" for name, what in met.items() if what not in _REFUSED)
