"""One batch: the calls of one assistant message, started, overlapped and logged in their order.

Calls enter their policies one at a time in the model's order. Consecutive concurrency-safe calls
overlap in a rolling pool, an exclusive one runs alone. Results are logged in the model's order,
however they settle. Nothing here invents a result: a fault of the scheduler or the log ends the
batch, once what runs has been drained.

Source: spec PIPELINE 9.5, 10.1 to 10.7, 11.1.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import anyio

from codemode.runtime.cancellation import CancelSignal, CancelSource
from codemode.runtime.code_mode import records
from codemode.runtime.code_mode.order import StartOrder, Ticket
from codemode.runtime.definition import RUN_CODE
from codemode.runtime.execution import CallRequest
from codemode.runtime.log.errors import LogError
from codemode.runtime.loop.writer import SessionWriter
from codemode.runtime.pipeline import PendingCall, Pipeline
from codemode.runtime.policy import hook_name
from codemode.runtime.result import Result
from codemode.runtime.scope import Scope
from codemode.sandbox.values import Json

_logger: Final = logging.getLogger("codemode.loop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What an observer sees: once when the batch opens, once when it has settled.

    Attributes:
        calls: The requests, in the model's order.
        results: None while it is open; then one for each call, in the same order.
    """

    batch_id: str
    scope: Scope
    calls: tuple[CallRequest, ...]
    results: tuple[Result, ...] | None = None


#: Synchronous; what it throws is logged and contained.
BatchObserver: TypeAlias = Callable[[Batch], None]


@dataclass(slots=True)
class _Slot:
    """One call's place in the batch."""

    request: CallRequest
    ticket: Ticket
    pending: PendingCall | None = None
    result: Result | None = None


class BatchRunner:
    """Runs one batch.

    Args:
        scope: Whose batch observers are told.
        signal: The turn's; when it fires, nothing new starts.
        is_safe: Whether a call may overlap others, if it started now.
        max_parallel: Most overlapping bodies.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        writer: SessionWriter,
        batch_id: str,
        requests: Sequence[CallRequest],
        *,
        scope: Scope,
        signal: CancelSignal,
        is_safe: Callable[[CallRequest], bool],
        max_parallel: int,
    ) -> None:
        order = StartOrder(max_parallel)
        self._pipeline = pipeline
        self._writer = writer
        self._batch_id = batch_id
        self._slots = [_Slot(request, order.ticket()) for request in requests]
        self._scope = scope
        self._signal = signal
        self._is_safe = is_safe
        self._settling = anyio.Lock()
        self._committed = 0
        #: Why nothing more starts.
        self._halted: str | None = None
        self._failure: Exception | None = None

    @property
    def results(self) -> tuple[Result, ...]:
        """What has settled, in the model's order."""
        return tuple(slot.result for slot in self._slots if slot.result is not None)

    async def run(self) -> tuple[Result, ...]:
        """Run every call to its result.

        A cancellation of the calling task is raised again when the batch has settled.

        Raises:
            Exception: The first failure of the scheduler or the log. The batch stays open in the
                log; what ran has been drained.
        """
        ids: list[Json] = [slot.request.call_id for slot in self._slots]
        self._writer.record("batch/open", {"batch_id": self._batch_id, "calls": ids})
        self._tell(None)
        try:
            async with anyio.create_task_group() as tasks:
                for slot in self._slots:
                    tasks.start_soon(self._serve, slot)
        finally:
            if self._failure is None:
                with anyio.CancelScope(shield=True):
                    await self._close()
        if self._failure is not None:
            raise self._failure
        return self.results

    async def _serve(self, slot: _Slot) -> None:
        try:
            await slot.ticket.enter(lambda: self._is_safe(slot.request))
            if self._halted is None and not self._signal.is_cancelled:
                await self._run(slot)
        except anyio.get_cancelled_exc_class():
            self._halt("the calling task was cancelled")
            raise
        except Exception as error:  # noqa: BLE001 - siblings are drained, not cancelled; raised by `run`
            self._failure = self._failure or error
            self._halt("the scheduler failed")
        finally:
            slot.ticket.leave()

    async def _run(self, slot: _Slot) -> None:
        pipeline = self._pipeline
        pending = slot.pending = pipeline.begin(slot.request)
        try:
            await self._log_call(slot, pending)
            await pipeline.prepare(pending)
            self._note_stop(pending)
            slot.ticket.pass_on()
            # A program ends within the drain deadline of its own calls: it is never left behind.
            await pipeline.run_body(pending, detached=not _is_program(pending))
            self._note_stop(pending)
        except LogError:
            pipeline.abandon(pending)
            raise
        finally:
            if not pending.is_abandoned:
                await self._settle(slot, pending)

    async def _log_call(self, slot: _Slot, pending: PendingCall) -> None:
        """Write ahead: a crash during a body that changes something must not lose its call."""
        owner = self._writer.owner
        tool = pending.execution.tool
        with anyio.CancelScope(shield=True):
            await owner.ready()
            self._write_call(slot, pending)
            if tool is not None and not tool.is_read_only and not _is_program(pending):
                await owner.flush()

    def _write_call(self, slot: _Slot, pending: PendingCall) -> None:
        execution = pending.execution
        effective = dict(execution.arguments) if pending.arguments_changed else None
        self._writer.call(
            slot.request.call_id, slot.request.name, str(slot.request.arguments), effective
        )

    async def _settle(self, slot: _Slot, pending: PendingCall) -> None:
        """One at a time, and shielded: a call that has begun is settled and logged."""
        with anyio.CancelScope(shield=True):
            async with self._settling:
                try:
                    await self._pipeline.settle(pending)
                finally:
                    # A cancellation is raised again after publication: the result is there.
                    if pending.result is not None:
                        slot.result = pending.result
                        self._note_stop(pending)
                        self._show(pending.result)
                        self._commit()

    def _commit(self) -> None:
        """Log what has settled, up to the first call that has not."""
        while self._committed < len(self._slots):
            result = self._slots[self._committed].result
            if result is None:
                return
            self._writer.result(result)
            self._committed += 1

    def _show(self, result: Result) -> None:
        self._writer.owner.show(
            "live/settled",
            {
                "call_id": result.call_id,
                "is_error": result.is_error,
                "outcome": _outcome(result),
            },
        )

    def _note_stop(self, pending: PendingCall) -> None:
        reason = pending.stop or pending.effects.stop
        if reason is not None:
            self._halt(f"the turn was stopped: {reason}")

    def _halt(self, reason: str) -> None:
        self._halted = self._halted or reason

    async def _close(self) -> None:
        """Give the calls that never started their pair, and settle the batch."""
        for slot in self._slots:
            if slot.result is None:
                slot.result = await self._refuse(slot)
                self._commit()
        outcomes = {
            slot.result.call_id: _outcome(slot.result) for slot in self._slots if slot.result
        }
        self._writer.record("batch/settled", {"batch_id": self._batch_id, "outcomes": {**outcomes}})
        self._tell(self.results)

    async def _refuse(self, slot: _Slot) -> Result:
        """A call that never started: through the pipeline, cancelled before it began."""
        source = CancelSource()
        source.cancel(self._halted or self._signal.reason or "cancelled")
        pending = slot.pending = self._pipeline.begin(replace(slot.request, signal=source.signal))
        self._write_call(slot, pending)
        await self._pipeline.prepare(pending)
        return await self._pipeline.settle(pending)

    def _tell(self, results: tuple[Result, ...] | None) -> None:
        batch = Batch(
            batch_id=self._batch_id,
            scope=self._scope,
            calls=tuple(slot.request for slot in self._slots),
            results=results,
        )
        for observer in self._scope.hooks("batch"):
            try:
                answer: Any = observer(batch)
                if inspect.iscoroutine(answer):
                    answer.close()
                    raise TypeError("a batch observer is synchronous")
            except Exception:  # one observer's fault must reach neither the loop nor the others
                _logger.exception("batch observer %s failed", hook_name(observer))


def _outcome(result: Result) -> str:
    return records.outcome(result, has_run_ended=False)


def _is_program(pending: PendingCall) -> bool:
    tool = pending.execution.tool
    return tool is not None and tool.name == RUN_CODE
