"""The system call policy of both machines, call by call, in the simulator."""

from __future__ import annotations

import os
import struct

import pytest
from filter_machine import simulate

from codemode.sandbox.jail import bpf, seccomp
from codemode.sandbox.jail.syscalls import AUDIT_ARCH, NUMBERS, Machine, machine

MACHINES: tuple[Machine, ...] = ("x86_64", "aarch64")
EPERM = bpf.ERRNO | 1
PID = 4321
X32_BIT = 0x4000_0000

ALLOWED_PLAINLY = {
    "munmap", "brk", "mremap", "getrandom", "rt_sigreturn", "restart_syscall", "exit", "exit_group", "getpid", "gettid",
}  # fmt: skip
REFUSED_WITH_EPERM = {
    "openat", "open", "newfstatat", "stat", "lstat", "fstat", "lseek", "ioctl", "getcwd",
    "readlink", "readlinkat", "getdents64", "rt_sigprocmask", "rt_sigaction",
}  # fmt: skip
JUDGED_BY_ARGUMENT = {
    "read", "write", "mmap", "tgkill", "madvise", "futex", "clock_gettime", "clock_nanosleep",
}  # fmt: skip


def answer(on: Machine, call: int | str, *arguments: int, arch: int | None = None) -> int:
    program = seccomp.build(on)
    offset = seccomp.pid_offset(program)
    program = program[:offset] + struct.pack("=I", PID) + program[offset + 4 :]
    number = NUMBERS[on][call] if isinstance(call, str) else call
    return simulate(
        program, arch=AUDIT_ARCH[on] if arch is None else arch, number=number, arguments=arguments
    )


@pytest.mark.spec("SANDBOX 2.1", "SANDBOX 2.5")
@pytest.mark.parametrize("on", MACHINES)
def test_every_number_gets_exactly_the_answer_that_is_written_down(on: Machine) -> None:
    names = {number: name for name, number in NUMBERS[on].items()}
    for number in range(1024):
        name = names.get(number)
        if name in JUDGED_BY_ARGUMENT:
            continue
        expected = bpf.KILL_PROCESS
        if name in ALLOWED_PLAINLY:
            expected = bpf.ALLOW
        elif name in REFUSED_WITH_EPERM:
            expected = EPERM
        assert answer(on, number) == expected, name or number


@pytest.mark.spec("SANDBOX 2.1")
@pytest.mark.parametrize("on", MACHINES)
def test_reading_is_possible_on_the_bridge_only(on: Machine) -> None:
    assert answer(on, "read", 3) == bpf.ALLOW
    for descriptor in (0, 1, 2, 4, 5, 1023, 0xFFFFFFFF):
        assert answer(on, "read", descriptor) == bpf.KILL_PROCESS


@pytest.mark.spec("SANDBOX 2.1")
@pytest.mark.parametrize("on", MACHINES)
def test_writing_is_possible_on_the_bridge_only_and_last_words_are_refused(on: Machine) -> None:
    assert answer(on, "write", 3) == bpf.ALLOW
    assert answer(on, "write", 2) == EPERM
    for descriptor in (0, 1, 4, 5, 0xFFFFFFFF):
        assert answer(on, "write", descriptor) == bpf.KILL_PROCESS


@pytest.mark.spec("SANDBOX 2.1")
@pytest.mark.parametrize("on", MACHINES)
def test_memory_cannot_be_mapped_executable(on: Machine) -> None:
    for protection in range(16):
        expected = bpf.KILL_PROCESS if protection & 4 else bpf.ALLOW
        assert answer(on, "mmap", 0, 4096, protection) == expected
    assert answer(on, "mprotect", 0, 4096, 1) == bpf.KILL_PROCESS


@pytest.mark.spec("SANDBOX 2.1")
@pytest.mark.parametrize("on", MACHINES)
def test_locks_wait_and_wake_and_do_nothing_else(on: Machine) -> None:
    allowed = {0, 1, 9, 10, 128, 129, 137, 138, 265, 393}
    for operation in range(1024):
        expected = bpf.ALLOW if operation in allowed else bpf.KILL_PROCESS
        assert answer(on, "futex", 0, operation) == expected, operation


@pytest.mark.spec("SANDBOX 2.1")
@pytest.mark.parametrize("on", MACHINES)
def test_advice_gives_memory_back_and_never_merges_it(on: Machine) -> None:
    for advice in range(128):
        expected = bpf.ALLOW if advice in (4, 8, 14, 15) else EPERM
        assert answer(on, "madvise", 0, 4096, advice) == expected, advice


@pytest.mark.spec("SANDBOX 2.1")
@pytest.mark.parametrize("on", MACHINES)
@pytest.mark.parametrize("call", ["clock_gettime", "clock_nanosleep"])
def test_no_clock_of_another_process_can_be_read(on: Machine, call: str) -> None:
    for clock in range(12):
        assert answer(on, call, clock) == bpf.ALLOW
    for pid in (1, 4321, 99999):
        for kind in range(8):
            assert answer(on, call, ((~pid << 3) | kind) & 0xFFFFFFFF) == bpf.KILL_PROCESS


@pytest.mark.spec("SANDBOX 2.1")
@pytest.mark.parametrize("on", MACHINES)
def test_the_only_signal_is_an_abort_of_itself(on: Machine) -> None:
    assert answer(on, "tgkill", PID, PID, 6) == bpf.ALLOW
    for pid, number in ((PID, 9), (PID, 19), (PID + 1, 6), (1, 6), (0xFFFFFFFF, 6)):
        assert answer(on, "tgkill", pid, pid, number) == bpf.KILL_PROCESS
    assert answer(on, "kill", PID, 6) == bpf.KILL_PROCESS


@pytest.mark.spec("SANDBOX 2.1")
@pytest.mark.parametrize("on", MACHINES)
def test_other_conventions_are_killed(on: Machine) -> None:
    for arch in (0x40000003, 0x40000028, 0, *(AUDIT_ARCH[o] for o in MACHINES if o != on)):
        assert answer(on, "exit_group", arch=arch) == bpf.KILL_PROCESS


@pytest.mark.spec("SANDBOX 2.1")
def test_x32_numbers_are_killed() -> None:
    for number in NUMBERS["x86_64"].values():
        assert answer("x86_64", number | X32_BIT) == bpf.KILL_PROCESS


@pytest.mark.parametrize(
    "call",
    [
        "socket", "clone", "clone3", "execve", "ptrace", "mprotect", "kill", "prctl", "unshare",
        "setns", "mount", "pivot_root", "bpf", "io_uring_setup", "process_vm_writev", "writev",
        "memfd_create", "close", "seccomp", "personality", "prlimit64", "landlock_restrict_self",
    ],
)  # fmt: skip
@pytest.mark.parametrize("on", MACHINES)
@pytest.mark.spec("SANDBOX 2.1")
def test_calls_that_escapes_are_made_of_are_killed(on: Machine, call: str) -> None:
    assert answer(on, call) == bpf.KILL_PROCESS
    assert answer(on, call, 3, 3, 3) == bpf.KILL_PROCESS


def test_every_row_of_the_policy_has_a_reason_and_exists_somewhere() -> None:
    for rule in seccomp.POLICY:
        assert rule.why
        assert any(rule.call in NUMBERS[on] for on in MACHINES), rule.call


def test_no_two_calls_share_a_number() -> None:
    for on in MACHINES:
        assert len(set(NUMBERS[on].values())) == len(NUMBERS[on])


def test_the_place_of_the_pid_must_be_unique() -> None:
    program = seccomp.build("x86_64")
    with pytest.raises(ValueError, match="not unique"):
        seccomp.pid_offset(program + program)


@pytest.mark.spec("SANDBOX 2.1")
def test_the_machine_is_recognised_or_refused() -> None:
    assert machine() == (os.uname().machine if os.uname().machine in MACHINES else None)
