"""Retry with backoff, for tools that declare themselves idempotent and for nothing else.

Only a failure of the body itself is tried again: never a denial, an aborted call or an unknown
outcome, and never bad output, which the next attempt would give again.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from codemode.runtime.clock import Clock
from codemode.runtime.policy import Around, BodyOutcome, CallNext, Wrapper

#: What a second attempt may mend.
RETRIED: Final[frozenset[str]] = frozenset({"TOOL_ERROR", "TOOL_TIMEOUT"})


def retry_wrapper(
    clock: Clock,
    *,
    attempts: int = 3,
    first_wait_s: float = 0.2,
    factor: float = 2.0,
    max_wait_s: float = 10.0,
    codes: Collection[str] = RETRIED,
) -> Wrapper:
    """A wrapper that tries an idempotent tool again.

    Args:
        clock: What the waiting is measured on.
        attempts: All of them, the first included.
        first_wait_s: Before the second attempt; each later wait is `factor` times longer.
        factor: Growth of the wait.
        max_wait_s: No wait is longer.
        codes: Error codes that are tried again.

    Raises:
        ValueError: There is not at least one attempt.
    """
    if attempts < 1:
        raise ValueError("attempts must be at least 1")

    async def retry(around: Around, call_next: CallNext) -> BodyOutcome:
        outcome = await call_next()
        tool = around.execution.tool
        if tool is None or not tool.is_idempotent:
            return outcome
        wait_s = first_wait_s
        for _ in range(attempts - 1):
            if outcome.error is None or outcome.error.code not in codes:
                break
            if around.signal.is_cancelled:
                break
            await clock.sleep(min(wait_s, max_wait_s))
            wait_s *= factor
            outcome = await call_next()
        return outcome

    return retry
