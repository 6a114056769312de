"""A rate limit per tool: calls over it wait their turn, or fail with `LIMIT`.

A token bucket for each tool's canonical name; waiting calls are served in order. The bucket is the
host's: one instance may serve several runtimes.
"""

from __future__ import annotations

from dataclasses import dataclass

import anyio

from codemode.runtime.clock import Clock
from codemode.runtime.policy import Around, BodyOutcome, CallNext


@dataclass(slots=True)
class _Bucket:
    """What is left of one tool's allowance."""

    left: float
    filled_at: float
    turn: anyio.Lock


class RateLimit:
    """A wrapper; add it with `scope.add("wrapper", RateLimit(...))`.

    Args:
        clock: What the rate is measured on.
        per_s: Calls a second, in the long run.
        burst: Calls at once after a pause.
        max_wait_s: A call that would wait longer fails; 0 never waits.
    """

    name = "rate limit"

    def __init__(
        self, clock: Clock, *, per_s: float, burst: int = 1, max_wait_s: float = 60.0
    ) -> None:
        if per_s <= 0 or burst < 1 or max_wait_s < 0:
            raise ValueError("per_s must be positive, burst at least 1, max_wait_s not negative")
        self._clock = clock
        self._per_s = per_s
        self._burst = burst
        self._max_wait_s = max_wait_s
        self._buckets: dict[str, _Bucket] = {}

    async def __call__(self, around: Around, call_next: CallNext) -> BodyOutcome:
        """Let the call pass when its tool has allowance left."""
        name = around.execution.name
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = _Bucket(float(self._burst), self._clock.now(), anyio.Lock())
            self._buckets[name] = bucket
        async with bucket.turn:
            self._fill(bucket)
            wait_s = (1 - bucket.left) / self._per_s
            if wait_s > self._max_wait_s:
                return around.failure(
                    f"{name} is limited to {self._per_s:g} calls a second;"
                    f" try again in {wait_s:.1f} s",
                    "LIMIT",
                )
            if wait_s > 0:
                await self._clock.sleep(wait_s)
                self._fill(bucket)
            bucket.left -= 1
        return await call_next()

    def _fill(self, bucket: _Bucket) -> None:
        now = self._clock.now()
        bucket.left = min(self._burst, bucket.left + (now - bucket.filled_at) * self._per_s)
        bucket.filled_at = now
