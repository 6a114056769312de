"""The pipeline: one untrusted call in, one frozen result out, stage by stage.

`execute` drives a whole call. A caller that orders the starts itself (the dispatch bridge, a batch)
drives the phases: `begin` -> `prepare` -> `run_body` -> `settle`. Once `begin` was called, `settle`
or `abandon` must be. Nothing of a call is raised; what is raised is misuse of the API, and a
cancellation of the calling task, after the call has been published.

Source: docs/pipeline.md; the legal moves are in stages.py.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Final, Self, TypeVarTuple

import anyio
from anyio.abc import TaskGroup

from codemode.runtime.admission import Admission
from codemode.runtime.approval import ApprovalChannel
from codemode.runtime.approving import Approver, Redact
from codemode.runtime.body import BodyRunner
from codemode.runtime.cancellation import CancelSignal, CancelSource
from codemode.runtime.clock import Clock, SystemClock
from codemode.runtime.closing import Closer
from codemode.runtime.definition import RUN_CODE
from codemode.runtime.errors import MisuseError, TokenError
from codemode.runtime.execution import CallRequest, Token
from codemode.runtime.intents import announce
from codemode.runtime.opening import Judged, may_overlap, open_call
from codemode.runtime.owner import Owner
from codemode.runtime.pending import PendingCall
from codemode.runtime.registry import Registry
from codemode.runtime.result import Result
from codemode.runtime.running import Runner
from codemode.runtime.spill import CONTENT_BYTES, SpillStore
from codemode.runtime.stages import Stage
from codemode.runtime.threads import Threads
from codemode.runtime.timers import Timers
from codemode.runtime.wrappers.timeout import timeout_wrapper
from codemode.sandbox.patience import contained_in, leave

__all__ = ["PendingCall", "Pipeline"]

Args = TypeVarTuple("Args")

_NOT_OPEN: Final = (
    "the runtime is not entered, or is closed: calls are made inside its `async with`"
)


class Pipeline:
    """Runs calls against a registry. Use as `async with pipeline:` around all calls.

    Args:
        approval: Who is asked when a policy says ask; None denies.
        redact: What a person may see of a tool's arguments.
        drain_s: How long a body that was asked to end is awaited.
        content_bytes: Most text that a model reads of one result.
        spill: Where longer texts are kept whole; None keeps the preview only.
        max_threads: Most sync bodies at once.
        timeouts: Enforce each tool's `timeout_s`.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        clock: Clock | None = None,
        approval: ApprovalChannel | None = None,
        redact: Redact | None = None,
        drain_s: float = 5.0,
        content_bytes: int = CONTENT_BYTES,
        spill: SpillStore | None = None,
        max_threads: int = 40,
        timeouts: bool = True,
    ) -> None:
        self.registry: Final = registry
        self.clock: Final[Clock] = clock or SystemClock()
        self._judged: Judged | None = None
        self._live: set[Token] = set()
        self._running: set[PendingCall] = set()
        self._deferred: dict[str, CallRequest] = {}
        self._admission = Admission(
            Approver(approval, clock=self.clock, redact=redact), self._deferred.__setitem__
        )
        self._closer = Closer(
            self.clock,
            drain_s=drain_s,
            content_bytes=content_bytes,
            spill=spill,
            retire=self._retire,
        )
        self._drain_s = drain_s
        self._max_threads = max_threads
        self._has_timeouts = timeouts
        self._is_open = False
        self._tasks: TaskGroup | None = None
        self._spawn: Callable[..., object] | None = None
        self._deadlines: TaskGroup | None = None
        self._runner: Runner | None = None

    async def __aenter__(self) -> Self:
        if self._is_open:
            raise MisuseError("the pipeline is running already")
        timers = Timers(self.clock)
        threads = Threads(self.clock, drain_s=self._drain_s, max_threads=self._max_threads)
        # What ends a body outlives all bodies: deadlines, and those who settle what is left behind.
        self._deadlines = await anyio.create_task_group().__aenter__()
        self._deadlines.start_soon(timers.run)
        tasks = self._tasks = await anyio.create_task_group().__aenter__()
        self._spawn = contained_in(tasks)
        self._is_open = True
        self._runner = Runner(
            BodyRunner(threads, announce),
            tasks,
            timers,
            drain_s=self._drain_s,
            timeout=timeout_wrapper(timers) if self._has_timeouts else None,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        tasks, deadlines = self._tasks, self._deadlines
        if tasks is None or deadlines is None or not self._is_open:
            return
        self._is_open = False
        for pending in tuple(self._running):
            pending.source.cancel("the runtime is closing")
        try:
            await leave(tasks)
        finally:
            await leave(deadlines)
            self._tasks = self._deadlines = self._spawn = None

    # --- a whole call ---------------------------------------------------------------------------

    async def execute(self, request: CallRequest) -> Result:
        """Run one call to its end.

        A body that something besides the calling task can ask to end (a signal, a timeout, a
        wrapper) gets a task of its own, so that it can be left at the drain deadline.

        Raises:
            MisuseError: See `begin`.
        """
        return await self.drive(self.begin(request))

    async def drive(self, pending: PendingCall) -> Result:
        """The rest of `execute`; a cancellation is raised once the result is in `pending`."""
        try:
            await self.prepare(pending)
            await self.run_body(pending, detached=_can_be_ended(pending))
            return await self.settle(pending)
        finally:
            if pending.result is None:
                self.abandon(pending)

    def take_deferred(
        self,
        handle: str,
        *,
        call_id: str,
        owner: Owner | None = None,
        signal: CancelSignal | None = None,
    ) -> CallRequest:
        """Take a deferral out, once: the request of the new call, for `execute` or the phases.

        Raises:
            MisuseError: The handle is unknown, or was taken up already.
        """
        request = self._deferred.pop(handle, None)
        if request is None:
            raise MisuseError("no deferral is waiting under that handle")
        return CallRequest(
            call_id=call_id,
            name=request.name,
            arguments=request.arguments,
            scope=request.scope,
            signal=signal,
            is_host=True,
            line=request.line,
            owner=owner,
            deferred_from=handle,
        )

    async def resume_deferred(
        self,
        handle: str,
        *,
        call_id: str,
        owner: Owner | None = None,
        signal: CancelSignal | None = None,
    ) -> Result:
        """Take up a deferral: a new call, through policies, approval, guards and body, once.

        A policy that would defer it again is not heard; its denial or its question is.

        Raises:
            MisuseError: See `take_deferred`.
        """
        return await self.execute(
            self.take_deferred(handle, call_id=call_id, owner=owner, signal=signal)
        )

    def is_concurrency_safe(self, request: CallRequest) -> bool:
        """Whether the call may overlap others, if it started now; asked again before each start."""
        is_safe, self._judged = may_overlap(request, request.scope or self.registry.root)
        return is_safe

    # --- the phases -----------------------------------------------------------------------------

    def begin(self, request: CallRequest) -> PendingCall:
        """Give the call its identity, and judge its arguments. Nothing is run.

        Raises:
            TokenError: The parent was not issued here, or has settled.
            MisuseError: The pipeline was not entered, or the scope is another registry's.
        """
        if not self._is_open:
            raise MisuseError(_NOT_OPEN)
        if request.parent is not None and request.parent not in self._live:
            raise TokenError("the parent token was not issued here, or its call has settled")
        scope = request.scope or self.registry.root
        if scope.registry is not self.registry:
            raise MisuseError(f"{scope!r} belongs to another registry")
        pending = PendingCall(request, CancelSource())
        judged, self._judged = self._judged, None
        open_call(pending, scope, judged)
        if request.signal is not None:
            signal = request.signal
            pending.unsubscribe = signal.subscribe(
                lambda: pending.source.cancel(signal.reason or "cancelled by the caller")
            )
        self._live.add(pending.execution.token)
        self._running.add(pending)
        return pending

    async def prepare(self, pending: PendingCall) -> None:
        """Policies, approval and guards. Enter it for one call at a time, in submission order."""
        await self._admission.decide(pending)

    async def run_body(
        self,
        pending: PendingCall,
        *,
        detached: bool = False,
        on_stuck: Callable[[], None] | None = None,
    ) -> None:
        """Run the wrappers and the body; does nothing after an early end. May overlap others.

        Args:
            pending: A prepared call.
            detached: In a task of the pipeline's own, so that a body that will not end is left at
                the drain deadline. Without it, whoever owns the calling task has that power: to
                call `settle` while the body runs settles the call as `UNKNOWN_OUTCOME`.
            on_stuck: Called, once or more, when a body in the calling task has been asked to end
                and has not by the drain deadline: it is time to `settle`, from another task.
        """
        if pending.ended is not None or pending.cancellation is not None:
            return
        if self._runner is None:
            raise MisuseError(_NOT_OPEN)
        pending.enter(Stage.AROUND)
        if detached:
            await self._runner.run_detached(pending)
        else:
            await self._runner.run(pending, on_stuck)

    def spawner(self) -> Callable[..., object]:
        """What starts a task of the pipeline's own, for calls that nobody waits for in a task.

        Raises:
            MisuseError: The pipeline was not entered.
        """
        if self._spawn is None:
            raise MisuseError(_NOT_OPEN)
        return self._spawn

    def start_settling(
        self, work: Callable[[*Args], Coroutine[Any, Any, None]], *args: *Args
    ) -> None:
        """As `spawner`'s, for the settlement of a call whose body is left behind.

        It is not cancelled before the last body has ended, also when the pipeline closes.

        Raises:
            MisuseError: The pipeline was not entered.
        """
        if self._deadlines is None:
            raise MisuseError(_NOT_OPEN)
        contained_in(self._deadlines)(work, *args)

    def settles_at_once(self, pending: PendingCall) -> bool:
        """Whether `settle` would await nothing: no policy to ask, no text to keep elsewhere."""
        return self._closer.awaits_nothing(pending)

    async def settle(self, pending: PendingCall) -> Result:
        """Post-execute, materialise, finalizer, freeze, observers; exactly once, one at a time.

        Called while the body still runs (from another task), it settles the call as
        `UNKNOWN_OUTCOME`. It is not interrupted: a cancellation of the calling task is raised again
        at the end, after the call has been published.
        """
        return await self._closer.settle(pending)

    def abandon(self, pending: PendingCall) -> None:
        """Give up a call before its body: its token is retired, and nothing is published."""
        pending.is_abandoned = True
        self._retire(pending)

    def _retire(self, pending: PendingCall) -> None:
        self._live.discard(pending.execution.token)
        self._running.discard(pending)
        if pending.unsubscribe is not None:
            pending.unsubscribe()
            pending.unsubscribe = None


def _can_be_ended(pending: PendingCall) -> bool:
    tool = pending.execution.tool
    if tool is not None and tool.name == RUN_CODE:
        # It ends within the drain deadline of its own calls; left earlier, their fate is lost.
        return False
    return (
        pending.request.signal is not None
        or (tool is not None and tool.timeout_s is not None)
        or bool(pending.execution.scope.hooks("wrapper"))
    )
