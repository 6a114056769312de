"""The dispatch bridge: each call of a program goes through the whole pipeline, and into the log.

It never trusts a frame: the run's own grant table names the tool, and the parent's token is the
host's. One instance serves one run. Source: spec CODE_MODE 3 to 6.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import anyio
import anyio.lowlevel

from codemode.runtime.cancellation import CancelSource
from codemode.runtime.code_mode import records
from codemode.runtime.code_mode.ledger import Ledger
from codemode.runtime.code_mode.order import StartOrder
from codemode.runtime.code_mode.sub_call import SubCall
from codemode.runtime.content import Image
from codemode.runtime.execution import CallRequest, RunContext
from codemode.runtime.failures import describe_exception
from codemode.runtime.log.errors import LogError
from codemode.runtime.owner import LateSettlement, Owner
from codemode.runtime.pipeline import PendingCall, Pipeline
from codemode.runtime.result import Result, program_code
from codemode.sandbox.answer import Answer, Work
from codemode.sandbox.control import RunControl
from codemode.sandbox.errors import StopRunError, ToolCallError
from codemode.sandbox.program import Call

_UNAVAILABLE: Final = "the session log is unavailable"
#: Failures found before a call starts; they leave a `tool/code-dispatch-refused` event.
_NEVER_STARTED: Final = frozenset({"INVALID_ARGS", "UNKNOWN_TOOL"})


class DispatchBridge:
    """Dispatches the calls of one run under the outer call's token.

    Args:
        run: The outer call's context: its token is the parent, its contexts receive the forwarding.
        control: The running program.
        max_parallel: Most overlapping bodies of concurrency-safe calls.

    Attributes:
        keep: Makes the run's journal durable: before a body that may change something, and once the
            program has its answer. A throw is a `LogError`.
        fault: Why a settlement could not be told or written; the run has ended for it.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        run: RunContext,
        control: RunControl,
        *,
        max_parallel: int,
    ) -> None:
        self.ledger = Ledger()
        self.keep: Callable[[], None] = _nothing
        self.fault: str | None = None
        self._pipeline = pipeline
        self._run = run
        self._control = control
        self._order = StartOrder(max_parallel)
        #: By number, what outlives its call; the rest of a call is forgotten with its answer.
        self._forwarded: dict[int, Result] = {}
        #: Ids of calls whose settlement has begun and is not logged, and ends that came meanwhile.
        self._unsettled: set[str] = set()
        self._late: dict[str, LateSettlement] = {}
        self._cancel = CancelSource()
        self._settling = anyio.Lock(fast_acquire=True)
        outer = run.execution.owner
        self._owner = (
            None
            if outer is None
            else Owner(
                record=outer.record,
                hold=control.hold,
                flush=outer.flush,
                ready=outer.ready,
                is_ready=outer.is_ready,
                on_late=self._on_late,
                run_id=run.root_call_id,
                session=outer.session,
                show=outer.show,
            )
        )

    def submit(self, name: str, call: Call) -> Answer:
        """Take one call of the program, in submission order.

        Args:
            name: The tool's wire name, from the grant table.

        Raises:
            ToolCallError: From the answer, with a code of the small stable set.
            StopRunError: From the answer, when a policy or the tool stops the run.
        """
        run = self._run
        entry = self.ledger.open(call.number, name)
        sub_call = SubCall(
            entry,
            CallRequest(
                call_id=f"{run.call_id}:code:{call.number}",
                name=name,
                arguments=call.arguments,
                scope=run.execution.scope,
                parent=run.token,
                root_call_id=run.root_call_id,
                signal=self._cancel.signal,
                line=call.line,
                owner=self._owner,
            ),
            self._order.ticket(),
        )
        sub_call.work = Work(
            lambda: self._serve(sub_call, self._dispatch), self._pipeline.spawner()
        )
        return sub_call

    async def _serve(
        self, sub_call: SubCall, steps: Callable[[SubCall], Coroutine[Any, Any, None]]
    ) -> None:
        """Take a call to its answer: in a task of calls, or in that of who gives up its body."""
        error: Exception | None = None
        try:
            await steps(sub_call)
        except LogError as raised:
            error = self._unlogged(sub_call, raised)
        except Exception as raised:  # noqa: BLE001 - a fault of one call must not be every call's
            error = raised
            if sub_call.is_given:  # what failed was its way to the program, which waits for it
                self._control.abort(f"an answer was lost: {describe_exception(raised)}")
        finally:
            if sub_call.lacks_settlement():
                self._settle_as_unknown(sub_call, error)
            sub_call.ticket.leave()
            if not sub_call.is_given:
                self._answer(sub_call, error)

    def _answer(self, sub_call: SubCall, error: Exception | None) -> None:
        name, result = sub_call.request.name, sub_call.result
        if error is not None:
            sub_call.fail(error)
        elif result is None:
            sub_call.fail(ToolCallError(name, f"{name} was cancelled", "ABORTED"))
        elif result.stops_turn is not None:
            self._run.stop_turn(result.stops_turn)
            sub_call.fail(StopRunError(result.stops_turn))
        elif result.error_info is not None:
            text = result.text.removeprefix("Error: ")
            sub_call.fail(ToolCallError(name, text, program_code(result.error_info.code)))
        else:
            sub_call.give(result.value)

    async def _dispatch(self, sub_call: SubCall) -> None:
        pipeline, ticket = self._pipeline, sub_call.ticket
        try:
            may_begin = await ticket.enter(lambda: pipeline.is_concurrency_safe(sub_call.request))
        except anyio.get_cancelled_exc_class():
            self._refuse(sub_call, "abandoned")
            raise
        if not may_begin:
            self._refuse(sub_call, "abandoned")
            return
        pending = sub_call.pending = pipeline.begin(sub_call.request)
        tool = pending.execution.tool
        sub_call.entry.is_mutating = tool is None or not tool.is_read_only
        sub_call.started_at = time.monotonic()
        try:
            if tool is not None and pending.failure_code not in _NEVER_STARTED:
                await self._log_start(sub_call, pending)
            await pipeline.prepare(pending)
            ticket.pass_on()
            await pipeline.run_body(pending, on_stuck=lambda: self._give_up(sub_call))
        except anyio.get_cancelled_exc_class():
            raise
        except BaseException:  # the log, or a fault of the engine or of a hook that is none's
            pipeline.abandon(pending)
            raise
        finally:
            if not pending.is_abandoned:
                await self._settle(sub_call)

    def _give_up(self, sub_call: SubCall) -> None:
        """Its body has not ended by the drain deadline: its task stays behind with it."""
        self._pipeline.start_settling(self._serve, sub_call, self._settle)

    async def _settle(self, sub_call: SubCall) -> None:
        """One at a time, and shielded: a call that has begun settles and is logged."""
        pending = sub_call.pending
        if pending is None or sub_call.is_settled():
            return
        if not self._settling.locked() and self._pipeline.settles_at_once(pending):
            await self._settle_now(sub_call, pending)  # nothing can come in between
            return
        with anyio.CancelScope(shield=True):
            async with self._settling:
                await self._settle_now(sub_call, pending)

    async def _settle_now(self, sub_call: SubCall, pending: PendingCall) -> None:
        if sub_call.is_settled():
            return  # given up, while its body ended after all
        self._unsettled.add(sub_call.request.call_id)
        sub_call.is_settling = True
        try:
            await self._pipeline.settle(pending)
        finally:
            sub_call.is_settling = False
            # A cancellation is raised again after publication: the result is there.
            if pending.result is not None:
                sub_call.result = pending.result
                if sub_call.has_more():
                    self._forwarded[sub_call.entry.number] = pending.result
                # The program reads it while it is being logged. If that fails the run ends, before
                # anything that the program does with it can be heard.
                try:
                    self._answer(sub_call, None)
                finally:
                    self._log_settlement(sub_call, pending, pending.result)
                    self._tell_late(sub_call.request.call_id)

    # --- the log ---------------------------------------------------------------------------------

    async def _log_start(self, sub_call: SubCall, pending: PendingCall) -> None:
        if self._owner is None:
            return
        owner = self._owner
        if not owner.is_ready():
            await _shielded(owner.ready())
        owner.record(
            "tool/code-dispatch-start",
            records.dispatch_start(sub_call.request, pending, self._run),
        )
        sub_call.has_start = True
        if not sub_call.entry.is_mutating:
            return
        # Write-ahead: a crash during the body must not lose the record of the attempt. The journal
        # first: of what the log says has begun, it then has the submission and all before that.
        self.keep()
        await _shielded(owner.flush())
        try:
            await anyio.lowlevel.checkpoint_if_cancelled()
        except anyio.get_cancelled_exc_class() as error:
            pending.cancel_by_task(error)  # settles as aborted, and its body is not entered

    def _log_settlement(self, sub_call: SubCall, pending: PendingCall, result: Result) -> None:
        entry = sub_call.entry
        entry.body_started = pending.started
        if not sub_call.has_start and self._owner is not None:
            is_unknown = pending.execution.tool is None
            self._refuse(sub_call, "unknown_tool" if is_unknown else "invalid_arguments")
            return
        entry.outcome = records.outcome(result, has_run_ended=self._cancel.signal.is_cancelled)
        if self._owner is not None:
            elapsed = time.monotonic() - sub_call.started_at
            self._owner.record(
                "tool/code-dispatch",
                records.dispatch(sub_call.request, result, entry.outcome, self._run, elapsed),
            )
        sub_call.has_settlement = True
        if entry.is_mutating:
            self.keep()

    def _settle_as_unknown(self, sub_call: SubCall, error: Exception | None) -> None:
        """What a call came to could not be told or written: its start gets an end, and so the run.

        A log that is gone cannot take it; `repair` then says the same.
        """
        why = "it broke off" if error is None else describe_exception(error)
        name, pending, owner = sub_call.request.name, sub_call.pending, self._owner
        self._fail(f"what {name} came to is not known: {why}")
        if pending is None or owner is None:
            return
        sub_call.has_settlement = True
        elapsed = time.monotonic() - sub_call.started_at
        data = records.unsettled(sub_call.request, pending, self._run, elapsed)
        try:
            owner.record("tool/code-dispatch", data)
        except LogError:
            return
        sub_call.entry.body_started, sub_call.entry.outcome = pending.started, "unknown"
        self._forwarded.pop(sub_call.entry.number, None)
        self._tell_late(sub_call.request.call_id)

    def _fail(self, fault: str) -> None:
        """The program must not go on as if everything were in the log."""
        self.fault = self.fault or fault
        self._control.abort(fault)

    def _refuse(self, sub_call: SubCall, reason: str) -> None:
        sub_call.entry.outcome = "refused"
        if self._owner is not None:
            self._owner.record(
                "tool/code-dispatch-refused",
                records.refused(sub_call.entry, reason, self._run),
            )

    def _unlogged(self, sub_call: SubCall, error: LogError) -> ToolCallError:
        """A log that is gone cannot take the settlement; the ledger still says what is known."""
        pending = sub_call.pending
        sub_call.entry.body_started = pending is not None and pending.started
        if sub_call.result is None:
            sub_call.entry.outcome = "unknown" if sub_call.entry.body_started else "refused"
        else:
            self._fail(f"{_UNAVAILABLE}: {error}")
        text = f"{_UNAVAILABLE}: {error}"
        failure = ToolCallError(sub_call.request.name, text, "LOG_UNAVAILABLE")
        failure.__cause__ = error
        return failure

    def _on_late(self, late: LateSettlement) -> None:
        self._late[late.call_id] = late
        if late.call_id not in self._unsettled:
            self._tell_late(late.call_id)

    def _tell_late(self, call_id: str) -> None:
        """Log a late end, if there was one; not before the settlement that it comes after."""
        self._unsettled.discard(call_id)
        late = self._late.pop(call_id, None)
        if late is not None and self._owner is not None:
            try:
                self._owner.record("tool/late-settlement", records.late(late))
            except LogError as error:
                self._fail(f"{_UNAVAILABLE}: {error}")

    # --- the end of the run ----------------------------------------------------------------------

    def end(self, reason: str) -> None:
        """The program has ended: cancel what still runs."""
        self._cancel.cancel(reason)

    def forward(self, *, has_succeeded: bool, max_images: int) -> None:
        """Hand contexts, images and the conclusion to the outer call, in submission order."""
        images: list[Image] = []
        for _, result in sorted(self._forwarded.items()):
            for context in result.contexts:
                self._run.defer_context(context)
            if not result.is_error:
                images.extend(block for block in result.content if isinstance(block, Image))
                if result.concludes_turn and has_succeeded:
                    self._run.conclude_turn()
        if images:
            left_out = max(0, len(images) - max_images)
            note = (
                f"Images of the program's calls ({left_out} left out):"
                if left_out
                else "Images of the program's calls:"
            )
            self._run.defer_context([note, *images[:max_images]], source="code_mode")


def _nothing() -> None:
    """The run has no journal."""


async def _shielded(work: Awaitable[None]) -> None:
    """A call that has begun is settled, and a start in the log has its settlement."""
    with anyio.CancelScope(shield=True):
        await work
