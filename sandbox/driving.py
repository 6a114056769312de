"""A program as its guest is told it, and a run as its caller is told it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from codemode.sandbox import naming
from codemode.sandbox.bridge.messages import Run
from codemode.sandbox.driver import DrivenGuest, Driver
from codemode.sandbox.isolation import IsolationReport
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Binding, Outcome, Policy, Program, Usage
from codemode.sandbox.text import encodable


def make_run(
    program: Program, bindings: Mapping[str, Binding], limits: Limits, *, policy: Policy
) -> Run:
    """The message that starts `program`.

    Raises:
        ValueError: A glob of its artifacts leaves the scratch tree.
    """
    for pattern in program.artifacts:
        if ".." in pattern.split("/"):
            raise ValueError(f"artifacts {pattern!r}: a glob has no .. in it")
    return Run(
        source=encodable(program.source),
        filename=program.filename,
        policy=policy,
        error_name=program.error_name,
        seed=program.seed,
        clock=None if program.clock is None else float(program.clock),
        bindings=naming.rows(bindings),
        files=dict(program.files),
        artifacts=list(program.artifacts),
        limits=_whole(limits),
    )


@lru_cache(maxsize=64)
def _whole(limits: Limits) -> dict[str, int]:
    """The limits as a guest is told them, in whole units."""
    return {name: int(value) for name, value in limits.as_json().items()}


def outcome_of(driver: Driver, guest: DrivenGuest, isolation: IsolationReport) -> Outcome:
    """What a run that is over came to.

    Preconditions: the guest was not closed yet, so that what it used can still be asked for.
    """
    exited = driver.exit
    usage = Usage(
        wall_s=driver.wall_s,
        cpu_s=guest.cpu_s() if exited is None else exited.cpu_s,
        peak_memory_bytes=(
            driver.peak_memory_bytes if exited is None else exited.peak_memory_bytes
        ),
        waiting_s=driver.waiting_s,
        calls=driver.calls,
        bytes_in=driver.bytes_in,
        bytes_out=driver.bytes_out,
    )
    return Outcome(
        logs=driver.logs.entries(),
        has_result=driver.has_value,
        result=driver.value,
        failure=driver.failure,
        usage=usage,
        isolation=isolation,
        artifacts=driver.handover.files if driver.has_said_its_end else {},
        notices=tuple(driver.notices),
    )
