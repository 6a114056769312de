"""The end of a call: post-execute, materialise, finalizer, freeze, observers; once, in that order.

Awaits only the host's policies and the spill store. A cancellation of the calling task is kept
until the call has been published, and bounds what is still awaited meanwhile.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

import anyio

from codemode.runtime.clock import Clock
from codemode.runtime.content import Content, plain_text
from codemode.runtime.pending import PendingCall
from codemode.runtime.result import Result
from codemode.runtime.running import give_up
from codemode.runtime.settling import finalise, freeze, publish, run_posts
from codemode.runtime.spill import SpillError, SpillStore, exceeds, preview
from codemode.runtime.stages import End, Stage, reaches_post


class Closer:
    """Settles calls.

    Args:
        retire: Called when the result is fixed: from then on the call's token is no parent.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        drain_s: float,
        content_bytes: int,
        spill: SpillStore | None,
        retire: Callable[[PendingCall], None],
    ) -> None:
        self._clock: Final = clock
        self._drain_s: Final = drain_s
        self._content_bytes: Final = content_bytes
        self._spill: Final = spill
        self._retire: Final = retire

    def awaits_nothing(self, pending: PendingCall) -> bool:
        """See `Pipeline.settles_at_once`."""
        if pending.execution.scope.hooks("post"):
            return False
        if self._spill is None:
            return True
        contract, outcome = pending.contract, pending.outcome
        return (
            outcome is not None
            and (contract is None or contract.tool.finalize_content is None)
            and not exceeds(outcome.content, self._content_bytes)
        )

    async def settle(self, pending: PendingCall) -> Result:
        """Give the call its one result; see `Pipeline.settle`."""
        if pending.result is not None:
            return pending.result
        if pending.stage is Stage.AROUND and pending.ended is None:
            give_up(pending)
        try:
            if pending.ended is None or reaches_post(pending.ended):
                pending.enter(Stage.POST)
                await self._post(pending)
            pending.enter(Stage.MATERIALISE)
            await self._materialise(pending)
            pending.enter(Stage.FINALISE)
            if finalise(pending):
                # What a finalizer writes is bounded like everything else.
                await self._materialise(pending)
            pending.enter(Stage.FREEZE)
            result = pending.result = freeze(pending)
        finally:
            self._retire(pending)
        pending.enter(Stage.PUBLISH)
        publish(pending, result, pending.execution.scope.hooks("observer"))
        if pending.cancellation is not None:
            raise pending.cancellation
        return result

    async def _post(self, pending: PendingCall) -> None:
        execution = pending.execution
        policies = execution.scope.hooks("post")
        if not policies:
            return
        current = execution.scope.view().contract(execution.name)
        try:
            await self._await(pending, lambda: run_posts(pending, policies, current))
        except Exception as error:  # noqa: BLE001 - the host's policies are called here
            pending.fault(End.POST_FAILED, "a post-execute policy", error)
            return
        outcome = pending.outcome
        if outcome is not None and not outcome.is_error and pending.source.signal.is_cancelled:
            pending.abort()

    async def _materialise(self, pending: PendingCall) -> None:
        """Bound what the model reads, and keep the whole where a host can open it."""
        outcome = pending.outcome
        if outcome is None or not exceeds(outcome.content, self._content_bytes):
            return
        content = outcome.content
        pending.locator = None
        if self._spill is not None:
            spill = self._spill
            await self._await(pending, lambda: _keep(pending, content, spill))
        bounded = preview(content, self._content_bytes, pending.where_kept())
        pending.outcome = replace(outcome, content=bounded)
        pending.replaced_by.append("spill")

    async def _await(self, pending: PendingCall, work: Callable[[], Awaitable[None]]) -> None:
        """Await `work`; a cancellation of the task is kept, and from then on bounds the waiting."""
        if pending.cancellation is None:
            try:
                await work()
            except anyio.get_cancelled_exc_class() as error:
                pending.cancel_by_task(error)
            return
        with self._clock.move_on_after(self._drain_s) as scope:
            scope.shield = True
            await work()


async def _keep(pending: PendingCall, content: Content, spill: SpillStore) -> None:
    try:
        pending.locator = await spill.put(pending.request.call_id, plain_text(content).encode())
    except SpillError:
        pending.locator = None
