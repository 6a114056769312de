"""Which system calls a guest may make: the policy as data, and the filter built from it.

An allow-list: a call without a row ends the process, and the run is reported as a violation. The
rows that answer EPERM are those that the interpreter's own code reaches in honest programs. The
filter must never be relaxed by anything that comes with a run.

Source: seccomp(2); SANDBOX 2.1.
"""

from __future__ import annotations

import ctypes
import errno
import signal
import struct
from dataclasses import dataclass
from typing import Final, Literal

from codemode.sandbox.jail import bpf
from codemode.sandbox.jail.kernel import Prepared
from codemode.sandbox.jail.syscalls import AUDIT_ARCH, NUMBERS, Machine

#: The one descriptor of a guest: its end of the bridge.
BRIDGE_FD: Final = 3

_STDERR_FD: Final = 2
_PROT_EXEC: Final = 4
_SET_MODE_FILTER: Final = 1
_PR_GET_NAME: Final = 16
#: Stands for the guest's own process id, which is known only after the fork.
_OWN_PID: Final = 0xFFFF_FFFE


#: MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE.
_ADVICE: Final = (4, 8, 14, 15)
#: FUTEX_WAIT, WAKE, WAIT_BITSET, WAKE_BITSET; each also private (128), waits also by the wall clock
#: (256). Requeueing and priority inheritance stay closed: no lock of the interpreter uses them.
_FUTEX_OPS: Final = (0, 1, 9, 10, 128, 129, 137, 138, 265, 393)
#: Bits of a clock id that names the clock of a process, a thread or a device, not one of the
#: kernel's own.
_DYNAMIC_CLOCK: Final = 0xFFFF_FFF0


def _equals(index: int, value: int) -> bpf.Argument:
    return bpf.Argument(index, "equals", value)


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: what a call is answered, under which conditions on its arguments, and why."""

    call: str
    answer: Literal["allow", "eperm"]
    why: str
    when: tuple[bpf.Argument, ...] = ()


POLICY: Final = (
    Rule("read", "allow", "replies on the bridge", (bpf.Argument(0, "equals", BRIDGE_FD),)),
    Rule("write", "allow", "calls on the bridge", (bpf.Argument(0, "equals", BRIDGE_FD),)),
    Rule(
        "mmap",
        "allow",
        "memory that holds no code",
        (bpf.Argument(2, "lacks_bits", _PROT_EXEC),),
    ),
    Rule("munmap", "allow", "gives memory back"),
    Rule("brk", "allow", "the C library's main heap"),
    Rule("mremap", "allow", "realloc of a large block; keeps the protection it had"),
    *(
        Rule("madvise", "allow", "gives pages back, or asks for large ones", (_equals(2, advice),))
        for advice in _ADVICE
    ),
    Rule("madvise", "eperm", "advice that the C library can do without; merging is a side channel"),
    *(
        Rule("futex", "allow", "every lock of the interpreter: wait and wake", (_equals(1, op),))
        for op in _FUTEX_OPS
    ),
    Rule(
        "clock_gettime",
        "allow",
        "clocks that the vDSO does not answer; no clock of another process",
        (bpf.Argument(0, "lacks_bits", _DYNAMIC_CLOCK),),
    ),
    Rule(
        "clock_nanosleep",
        "allow",
        "time.sleep",
        (bpf.Argument(0, "lacks_bits", _DYNAMIC_CLOCK),),
    ),
    Rule("getrandom", "allow", "os.urandom, random, secrets, uuid"),
    Rule("rt_sigreturn", "allow", "the end of a signal handler; without effect otherwise"),
    Rule("restart_syscall", "allow", "a sleep goes on after the process was stopped"),
    Rule("exit", "allow", "the end of a thread"),
    Rule("exit_group", "allow", "the end of the guest"),
    Rule("getpid", "allow", "asyncio's get_running_loop on 3.11; abort()"),
    Rule("gettid", "allow", "abort() names its own thread"),
    Rule(
        "tgkill",
        "allow",
        "abort() of the interpreter is a crash, not an attack",
        (
            bpf.Argument(0, "equals", _OWN_PID),
            bpf.Argument(2, "equals", signal.SIGABRT),
        ),
    ),
    Rule("prctl", "eperm", "a fatal error of 3.14 names its thread", (_equals(0, _PR_GET_NAME),)),
    Rule("rt_sigprocmask", "eperm", "abort() unblocks its signal first"),
    Rule("rt_sigaction", "eperm", "abort() restores the default action before it tries again"),
    Rule(
        "write",
        "eperm",
        "the last words of a fatal error of the interpreter, before its abort()",
        (bpf.Argument(0, "equals", _STDERR_FD),),
    ),
    Rule("openat", "eperm", "a lazy import, a traceback's source line, open()"),
    Rule("open", "eperm", "the same in C libraries that still use it"),
    Rule("newfstatat", "eperm", "a lazy import looks for a file"),
    Rule("stat", "eperm", "the same in C libraries before 2.33"),
    Rule("lstat", "eperm", "the same in C libraries before 2.33"),
    Rule("fstat", "eperm", "open() and io look at a descriptor"),
    Rule("lseek", "eperm", "io looks for a position"),
    Rule("ioctl", "eperm", "isatty()"),
    Rule("getcwd", "eperm", "os.path.abspath, a lazy import from a relative path"),
    Rule("readlink", "eperm", "os.path.realpath"),
    Rule("readlinkat", "eperm", "os.path.realpath where readlink does not exist"),
    Rule("getdents64", "eperm", "a lazy import lists a folder"),
)


def build(machine: Machine) -> bytes:
    """The filter program of `POLICY` for a machine, before the guest's pid is filled in."""
    numbers = NUMBERS[machine]
    answers = {"allow": bpf.ALLOW, "eperm": bpf.ERRNO | errno.EPERM}
    cases = [
        bpf.Case(numbers[rule.call], answers[rule.answer], rule.when)
        for rule in POLICY
        if rule.call in numbers
    ]
    # The x32 calls of x86-64 have numbers of their own, and none of them is listed.
    return bpf.assemble(cases, arch=AUDIT_ARCH[machine], otherwise=bpf.KILL_PROCESS)


class _SockFprog(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class Filter:
    """The filter of this machine, built once and installed by every guest.

    Raises:
        OSError: The kernel has no seccomp(2).
    """

    __slots__ = ("_code", "_fprog", "_install", "_pid_offset")

    def __init__(self, machine: Machine) -> None:
        program = build(machine)
        self._pid_offset = pid_offset(program)
        self._code = ctypes.create_string_buffer(program, len(program))
        self._fprog = ctypes.create_string_buffer(
            bytes(_SockFprog(len(program) // 8, ctypes.addressof(self._code)))
        )
        self._install = Prepared("seccomp", _SET_MODE_FILTER, 0, self._fprog)

    def install(self, pid: int) -> None:
        """Confine this process for ever. Needs no_new_privs or a capability.

        Args:
            pid: The process's own id, in its own pid namespace.

        Raises:
            OSError: The kernel refused the filter.
        """
        struct.pack_into("=I", self._code, self._pid_offset, pid)
        self._install()


def pid_offset(program: bytes) -> int:
    """Where in a built filter the guest's process id belongs: its only occurrence."""
    offset = program.index(struct.pack("=I", _OWN_PID))
    if program.find(struct.pack("=I", _OWN_PID), offset + 1) != -1 or offset % 8 != 4:
        raise ValueError("the place of the process id is not unique")
    return offset
