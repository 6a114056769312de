"""System call numbers of the two supported machines: one table, from the kernel's headers.

A name without a number on a machine does not exist there. Nothing here may be guessed: a wrong
number in the seccomp policy would open another call.

Source: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final, Literal

Machine = Literal["x86_64", "aarch64"]

#: AUDIT_ARCH_* of linux/audit.h: what seccomp reports for a call of the native convention.
AUDIT_ARCH: Final[Mapping[Machine, int]] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

NUMBERS: Final[Mapping[Machine, Mapping[str, int]]] = {
    "x86_64": {
        "read": 0,
        "write": 1,
        "open": 2,
        "close": 3,
        "stat": 4,
        "fstat": 5,
        "lstat": 6,
        "poll": 7,
        "lseek": 8,
        "mmap": 9,
        "mprotect": 10,
        "munmap": 11,
        "brk": 12,
        "rt_sigaction": 13,
        "rt_sigprocmask": 14,
        "rt_sigreturn": 15,
        "ioctl": 16,
        "writev": 20,
        "mremap": 25,
        "madvise": 28,
        "getpid": 39,
        "socket": 41,
        "clone": 56,
        "fork": 57,
        "vfork": 58,
        "execve": 59,
        "exit": 60,
        "kill": 62,
        "getcwd": 79,
        "readlink": 89,
        "ptrace": 101,
        "capset": 126,
        "personality": 135,
        "pivot_root": 155,
        "prctl": 157,
        "mount": 165,
        "umount2": 166,
        "gettid": 186,
        "futex": 202,
        "getdents64": 217,
        "restart_syscall": 219,
        "clock_gettime": 228,
        "clock_nanosleep": 230,
        "exit_group": 231,
        "tgkill": 234,
        "openat": 257,
        "newfstatat": 262,
        "readlinkat": 267,
        "unshare": 272,
        "prlimit64": 302,
        "setns": 308,
        "process_vm_writev": 311,
        "seccomp": 317,
        "getrandom": 318,
        "memfd_create": 319,
        "bpf": 321,
        "io_uring_setup": 425,
        "clone3": 435,
        "close_range": 436,
        "landlock_create_ruleset": 444,
        "landlock_restrict_self": 446,
    },
    "aarch64": {
        "getcwd": 17,
        "ioctl": 29,
        "umount2": 39,
        "mount": 40,
        "pivot_root": 41,
        "openat": 56,
        "close": 57,
        "getdents64": 61,
        "lseek": 62,
        "read": 63,
        "write": 64,
        "writev": 66,
        "readlinkat": 78,
        "newfstatat": 79,
        "fstat": 80,
        "capset": 91,
        "personality": 92,
        "exit": 93,
        "exit_group": 94,
        "unshare": 97,
        "futex": 98,
        "clock_gettime": 113,
        "clock_nanosleep": 115,
        "ptrace": 117,
        "restart_syscall": 128,
        "kill": 129,
        "tgkill": 131,
        "rt_sigaction": 134,
        "rt_sigprocmask": 135,
        "rt_sigreturn": 139,
        "prctl": 167,
        "getpid": 172,
        "gettid": 178,
        "socket": 198,
        "brk": 214,
        "munmap": 215,
        "mremap": 216,
        "clone": 220,
        "execve": 221,
        "mmap": 222,
        "mprotect": 226,
        "madvise": 233,
        "prlimit64": 261,
        "setns": 268,
        "process_vm_writev": 271,
        "seccomp": 277,
        "getrandom": 278,
        "memfd_create": 279,
        "bpf": 280,
        "io_uring_setup": 425,
        "clone3": 435,
        "close_range": 436,
        "landlock_create_ruleset": 444,
        "landlock_restrict_self": 446,
    },
}


def machine() -> Machine | None:
    """The machine that this process runs on, or None where there is no policy for it."""
    name = os.uname().machine
    return next((known for known in NUMBERS if known == name), None)
