"""How the cause of a death is decided."""

from __future__ import annotations

import signal

import pytest

from codemode.sandbox.forkserver.guest import decide
from codemode.sandbox.forkserver.protocol import Exited


@pytest.mark.spec("SANDBOX 3.4")
@pytest.mark.parametrize(
    ("status", "charged_cpu_s", "was_killed", "cause"),
    [
        (0, 0.1, False, "exited"),
        (3 << 8, 0.1, False, "exited"),
        (3 << 8, 0.1, True, "exited"),
        (signal.SIGKILL, 0.1, True, "killed_by_host"),
        (signal.SIGKILL, 5.0, True, "killed_by_host"),
        (signal.SIGKILL, 2.0, False, "cpu"),
        (signal.SIGKILL, 1.99, False, "memory"),
        (signal.SIGKILL, 0.1, False, "memory"),
        (signal.SIGSYS, 0.1, False, "violation"),
        (signal.SIGSYS, 0.1, True, "violation"),
        (signal.SIGSEGV, 5.0, False, "crash"),
        (signal.SIGABRT, 0.1, True, "crash"),
    ],
)
def test_the_cause_follows_from_what_the_kernel_says(
    status: int, charged_cpu_s: float, was_killed: bool, cause: str
) -> None:
    exited = Exited(1, int(status), 0.5, charged_cpu_s, 4096)
    end = decide(exited, was_killed=was_killed, cpu_limit_s=2)
    assert end.cause == cause
    assert (end.cpu_s, end.peak_memory_bytes) == (0.5, 4096)


def test_an_exit_status_is_told_apart_from_a_signal() -> None:
    assert decide(Exited(1, 3 << 8, 0.0, 0.0, 0), was_killed=False, cpu_limit_s=1).status == 3
    assert decide(Exited(1, 11, 0.0, 0.0, 0), was_killed=False, cpu_limit_s=1).signal == 11
