"""Around and body: run, wait, and bind what comes out to the call that made it.

A body that was asked to end has until the drain deadline. Then it is left behind: `on_stuck` tells
whoever settles the call, in another task than the body's. It ends as one outcome, or as an unknown
one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

import anyio
from anyio.abc import TaskGroup

from codemode.runtime.around import run_chain
from codemode.runtime.body import UNKNOWN_MESSAGE, BodyRunner, report_late
from codemode.runtime.content import text_content
from codemode.runtime.contract import Contract
from codemode.runtime.doors import OutputError, admit
from codemode.runtime.draining import DrainDeadline
from codemode.runtime.failures import PREFIX
from codemode.runtime.pending import PendingCall, failure
from codemode.runtime.policy import BodyOutcome, Wrapper
from codemode.runtime.stages import End, Stage
from codemode.runtime.timers import Timers
from codemode.sandbox.patience import wait_out


class Runner:
    """Runs the wrappers and bodies of calls.

    Args:
        tasks: Where detached bodies live.
        timers: Of the drain deadlines.
        timeout: The timeout wrapper, innermost; None leaves timeouts to the host.
    """

    def __init__(
        self,
        bodies: BodyRunner,
        tasks: TaskGroup,
        timers: Timers,
        *,
        drain_s: float,
        timeout: Wrapper | None,
    ) -> None:
        self._bodies: Final = bodies
        self._tasks: Final = tasks
        self._timers: Final = timers
        self._drain_s: Final = drain_s
        self._timeout: Final = timeout

    async def run_detached(self, pending: PendingCall) -> None:
        """Run in a task of our own; return when it has ended, or is past its drain deadline."""
        over = anyio.Event()
        pending.is_apart = True
        self._tasks.start_soon(self._run_apart, pending, over.set)
        try:
            await over.wait()
        except anyio.get_cancelled_exc_class() as error:
            pending.cancel_by_task(error)
            with suppress(anyio.get_cancelled_exc_class()):  # that there is one is known
                await wait_out(over.wait, at_most_s=None)

    async def _run_apart(self, pending: PendingCall, over: Callable[[], None]) -> None:
        # The task ends here: a group takes a cancellation that a tool has made for its own end.
        with suppress(anyio.get_cancelled_exc_class()):
            try:
                await self.run(pending, over)
            finally:
                over()

    async def run(self, pending: PendingCall, on_stuck: Callable[[], None] | None = None) -> None:
        """Run in the calling task.

        Args:
            on_stuck: Called when the body does not end by the drain deadline; None: it is awaited.
        """
        if on_stuck is None:
            await self._run(pending)
            return
        deadline = DrainDeadline(pending, self._timers, self._drain_s, on_stuck)
        try:
            await self._run(pending)
        finally:
            deadline.lift()

    async def _run(self, pending: PendingCall) -> None:
        contract = pending.contract
        if contract is None:
            raise RuntimeError("a call without a tool has no body")
        wrappers: tuple[Wrapper, ...] = pending.execution.scope.hooks("wrapper")
        timeout = (
            () if self._timeout is None or contract.tool.timeout_s is None else (self._timeout,)
        )
        outcome: BodyOutcome | None = None
        try:
            if wrappers:
                outcome = await self._run_wrapped(pending, contract, (*wrappers, *timeout))
            elif timeout:
                outcome = await self._run_chain(pending, contract, timeout)
            else:
                outcome = await self._bodies.run(pending, contract, None)
        except anyio.get_cancelled_exc_class() as error:
            if pending.is_apart:
                # A task of our own: only the end of the pipeline cancels it.
                pending.source.cancel("the runtime is closing")
                self._finish(pending, None)
                raise
            pending.cancel_by_task(error)
        except Exception as error:  # noqa: BLE001 - the host's wrappers are called here
            self._finish(pending, None, error)
            return
        self._finish(pending, outcome)

    async def _run_wrapped(
        self, pending: PendingCall, contract: Contract, wrappers: tuple[Wrapper, ...]
    ) -> BodyOutcome | None:
        """The chain; a wrapper that waits outside the body is cut short by the caller's signal."""
        with anyio.CancelScope() as scope:

            def cut_short() -> None:
                if not pending.is_body_running:
                    scope.cancel()

            dispose = pending.source.signal.subscribe(cut_short)
            try:
                return await self._run_chain(pending, contract, wrappers)
            finally:
                dispose()
        return None

    async def _run_chain(
        self, pending: PendingCall, contract: Contract, wrappers: tuple[Wrapper, ...]
    ) -> BodyOutcome:
        bodies = self._bodies
        return await run_chain(
            pending,
            wrappers,
            lambda call, signal: bodies.run(call, contract, signal or call.source.signal),
        )

    def _finish(
        self, pending: PendingCall, outcome: BodyOutcome | None, error: Exception | None = None
    ) -> None:
        pending.is_done = True
        if pending.stage is not Stage.AROUND:
            if not pending.is_thread_left:
                # What the body did, whatever a wrapper has made of it.
                report_late(pending, pending.made[-1] if pending.made else outcome)
        elif error is not None:
            blamed = pending.blamed
            is_named = blamed is not None and blamed[0] is error
            who = f"the wrapper {blamed[1]}" if blamed is not None and is_named else "a wrapper"
            pending.fault(End.AROUND_FAILED, who, error)
        else:
            normalise(pending, outcome)


def give_up(pending: PendingCall) -> None:
    """Settle a call whose body still runs as one of unknown outcome."""
    pending.is_unknown = True
    pending.source.cancel("its caller gave up waiting")
    normalise(pending, None)


def normalise(pending: PendingCall, outcome: BodyOutcome | None) -> None:
    """Bind the outcome to this call, and let a cancellation replace a success."""
    pending.enter(Stage.NORMALISE)
    if pending.is_unknown:
        pending.fail("UNKNOWN_OUTCOME", UNKNOWN_MESSAGE, "body")
        return
    if outcome is None:
        pending.abort()
        return
    if not outcome.is_error and not any(outcome is made for made in pending.made):
        outcome = _admitted_again(pending, outcome)
    if outcome.error is not None:
        # Whoever made it: the text that the model reads is the error's own.
        outcome = replace(outcome, content=text_content(PREFIX + outcome.message))
    pending.outcome = outcome
    if not outcome.is_error:
        pending.body_outcome = outcome
        if pending.source.signal.is_cancelled:
            pending.abort()


def _admitted_again(pending: PendingCall, outcome: BodyOutcome) -> BodyOutcome:
    """A success that this call's doors did not make: validated under the tool in force."""
    execution = pending.execution
    contract = execution.scope.view().contract(execution.name) or pending.contract
    if contract is None:
        raise RuntimeError("a success needs a tool")
    try:
        return admit(contract, execution.arguments, outcome.value)
    except OutputError as error:
        return failure("INVALID_TOOL_OUTPUT", str(error), "output", body_started=pending.started)
