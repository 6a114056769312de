"""System calls by number, with their arguments built once.

A guest must be jailed in microseconds and must not allocate much after the fork, so each call is
prepared in the fork server and only made in the guest. Nothing here decides what to call.

Source: syscall(2). ctypes is safe to hold in a guest: the kernel, not Python, is the boundary.
"""

from __future__ import annotations

import ctypes
import os
from typing import Final

from codemode.sandbox.jail.syscalls import NUMBERS, machine

#: Calls that never wait: the interpreter's lock is not given up for them.
_LIBC: Final = ctypes.PyDLL(None, use_errno=True)
_SYSCALL: Final = _LIBC.syscall
_SYSCALL.restype = ctypes.c_long

Argument = int | bytes | None | ctypes.Array[ctypes.c_char]


class Prepared:
    """One system call, ready to be made any number of times.

    Args:
        name: As in `syscalls.NUMBERS`.
        arguments: Integers, NUL-free bytes, buffers (passed by address and kept alive), None.

    Raises:
        OSError: The machine has no such call (ENOSYS).
    """

    __slots__ = ("_arguments", "_number", "name")

    def __init__(self, name: str, *arguments: Argument) -> None:
        here = machine()
        number = None if here is None else NUMBERS[here].get(name)
        if number is None:
            raise OSError(38, f"{name}: no such system call on {os.uname().machine}")
        self.name = name
        self._number = ctypes.c_long(number)
        self._arguments = tuple(map(_as_argument, arguments))

    def __call__(self) -> int:
        """Make the call.

        Returns:
            The kernel's answer, never -1.

        Raises:
            OSError: The kernel refused it.
        """
        answer: int = _SYSCALL(self._number, *self._arguments)
        if answer == -1:
            code = ctypes.get_errno()
            raise OSError(code, f"{self.name}: {os.strerror(code)}")
        return answer


def call(name: str, *arguments: Argument) -> int:
    """Make one system call now. See `Prepared` for the arguments and errors."""
    return Prepared(name, *arguments)()


def fork() -> int:
    """As os.fork, without what the standard library does after it.

    Its handlers make locks new, draw random numbers and list threads: some 290 page faults, as much
    as a small program takes. A process of one thread whose image holds no lock needs none of them.

    Raises:
        OSError: No process can be had.
    """
    pid: int = _LIBC.fork()
    if pid == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"fork: {os.strerror(code)}")
    return pid


def _as_argument(value: Argument) -> object:
    if isinstance(value, int):
        return ctypes.c_long(value)
    if isinstance(value, bytes):
        return ctypes.c_char_p(value)
    return ctypes.c_void_p(None) if value is None else value
