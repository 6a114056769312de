"""What is said of a guest that ended without a word."""

from __future__ import annotations

import pytest

from codemode.sandbox import endings
from codemode.sandbox.bridge.messages import OUT_OF_MEMORY
from codemode.sandbox.forkserver.guest import Cause, Exit
from codemode.sandbox.limits import Limits


def exited(cause: Cause, *, signal: int = 0, status: int = 0) -> Exit:
    return Exit(cause=cause, signal=signal, status=status, cpu_s=0.0, peak_memory_bytes=0)


@pytest.mark.spec("SANDBOX 3.4")
@pytest.mark.parametrize(
    ("end", "kind", "limit", "said"),
    [
        (exited("cpu", signal=9), "cpu_limit", "cpu_s", "processor time"),
        (exited("exited", status=OUT_OF_MEMORY), "memory_limit", "memory_bytes", "256 MiB"),
        (exited("memory", signal=9), "memory_limit", None, "of all programs together"),
        (exited("violation", signal=31), "violation", None, "a system call"),
        (exited("crash", signal=11), "crash", None, "SIGSEGV"),
        (exited("crash", signal=63), "crash", None, "signal 63"),
        (exited("exited", status=70), "crash", None, "status 70"),
        (None, "crash", None, "without saying why"),
    ],
)
def test_each_death_has_its_kind_and_its_cause(
    end: Exit | None, kind: str, limit: str | None, said: str
) -> None:
    failure = endings.by_death(end, Limits())
    assert (failure.kind, failure.limit) == (kind, limit)
    assert said in failure.message
