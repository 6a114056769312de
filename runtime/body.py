"""Entering a body: the signals fused, the scope that ends it, and what it came to.

A body's exception is an error outcome before any wrapper sees it return. A started body is awaited;
only a thread that outlasts the drain deadline is left behind, with an unknown outcome.
"""

from __future__ import annotations

import inspect
from typing import Any, Final

import anyio

from codemode.runtime.cancellation import (
    CancelSignal,
    CancelSource,
    Disposer,
    is_task_cancelled,
)
from codemode.runtime.content import plain_text
from codemode.runtime.contract import Contract
from codemode.runtime.definition import RUN_CODE
from codemode.runtime.doors import OutputError, admit
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import Announce, RunContext
from codemode.runtime.failures import describe_exception, type_name
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.owner import LateSettlement
from codemode.runtime.pending import PendingCall, failure
from codemode.runtime.policy import BodyOutcome
from codemode.runtime.threads import Job, Threads

_NOTHING: Final = object()

UNKNOWN_MESSAGE: Final = (
    "the call was asked to end and did not; whether it has taken effect is unknown."
    " Check before you repeat it"
)


class BodyRunner:
    """Runs bodies.

    Args:
        threads: Where sync bodies run.
        announce: Where a body's intents go.
    """

    def __init__(self, threads: Threads, announce: Announce) -> None:
        self._threads = threads
        self._announce = announce

    async def run(
        self, pending: PendingCall, contract: Contract, signal: CancelSignal | None
    ) -> BodyOutcome:
        """Run the body once.

        Args:
            signal: What is in force inside the wrappers; the caller's own is fused back here. None
                if the body has none around it: then nothing but the call itself can end it.
        """
        caller = pending.source.signal
        for source in (caller, signal):
            if source is not None and source.is_cancelled:
                return _aborted(pending, source)
        if pending.attempt and contract.tool.name == RUN_CODE:
            return _refused_again(pending)
        body = pending.source
        disposers: list[Disposer] = []
        if signal is not None:
            body = CancelSource()
            disposers = [_passed_on(caller, body), _passed_on(signal, body)]
            if pending.on_asked is not None:
                disposers.append(body.signal.subscribe(pending.on_asked))
        pending.effects.conclude = False
        pending.started = True
        pending.is_body_running = True
        pending.attempt += 1
        pending.last = None
        try:
            pending.last = await self._enter(pending, contract, body)
            return pending.last
        finally:
            pending.is_body_running = False
            for dispose in disposers:
                dispose()

    async def _enter(
        self, pending: PendingCall, contract: Contract, body: CancelSource
    ) -> BodyOutcome:
        tool = contract.tool
        run = RunContext(pending.execution, body.signal, pending.effects, self._announce)
        arguments = pending.execution.arguments
        value: Any = _NOTHING
        error: BaseException | None = None
        job: Job | None = None
        with anyio.CancelScope() as scope:
            dispose = run.release = body.signal.subscribe(scope.cancel)
            try:
                if tool.is_async:
                    value = tool.execute(arguments, run)
                else:
                    job = Job(lambda: tool.execute(arguments, run), lambda job: _late(pending, job))
                    await self._threads.run(job)
                    value, error = job.value, job.error
                if inspect.isawaitable(value):
                    awaitable, value = value, _NOTHING
                    value = await awaitable
            except anyio.get_cancelled_exc_class() as raised:
                if not (scope.cancel_called or is_task_cancelled()):
                    # Nobody wants the body to end: it has awaited something that was cancelled.
                    return _cancelled_itself(raised)
                # Cancelled from outside: whatever the body started must see it too.
                body.cancel("the calling task was cancelled")
                if job is not None and job.is_given_up:
                    pending.is_unknown = pending.is_thread_left = True
                raise
            except (Exception, SystemExit) as raised:  # noqa: BLE001 - the tool's code is called here
                error = raised
            except (KeyboardInterrupt, GeneratorExit, BaseExceptionGroup):
                raise  # a person, the interpreter, or a group that may hold a cancellation
            except BaseException as raised:  # noqa: BLE001 - as above
                error = raised
            finally:
                dispose()
        if pending.is_thread_left:
            return failure("UNKNOWN_OUTCOME", UNKNOWN_MESSAGE, "body", body_started=True)
        if job is not None and job.is_done and value is _NOTHING:
            # Cancelled, but the thread has ended within the drain deadline: what it did is known.
            value, error = job.value, job.error
        if error is not None:
            if isinstance(error, KeyboardInterrupt):
                raise error
            return error_outcome(error)
        if value is _NOTHING:
            return _aborted(pending, body.signal)
        return self._admit(pending, contract, value)

    def _admit(self, pending: PendingCall, contract: Contract, value: object) -> BodyOutcome:
        try:
            outcome = admit(contract, pending.execution.arguments, value)
        except OutputError as error:
            return failure("INVALID_TOOL_OUTPUT", str(error), "output", body_started=True)
        pending.made.append(outcome)
        return outcome


def _refused_again(pending: PendingCall) -> BodyOutcome:
    """A program runs once in a call: its calls are numbered under the call's id, and logged so."""
    last = pending.last
    if last is None:
        told = "it was cut off"
    else:
        told = last.message if last.is_error else plain_text(last.content)
    message = (
        "a wrapper wanted to run the program again, which has run already and runs once in a call."
        f" The run came to: {told}"
    )
    return failure("PIPELINE_FAILURE", message, "around", body_started=True)


def _cancelled_itself(raised: BaseException) -> BodyOutcome:
    message = "the tool failed: something that it waited for was cancelled"
    return failure("TOOL_ERROR", message, "body", body_started=True, name=type_name(raised))


def _passed_on(signal: CancelSignal, source: CancelSource) -> Disposer:
    return signal.subscribe(lambda: source.cancel(signal.reason or ""))


def error_outcome(error: BaseException) -> BodyOutcome:
    """What a body's exception makes of the call."""
    if isinstance(error, OutputError):
        return failure("INVALID_TOOL_OUTPUT", str(error), "output", body_started=True)
    code, message, kind = "TOOL_ERROR", describe_exception(error), None
    if isinstance(error, ToolError):
        # An untyped host may have raised it with anything.
        said: Any = (error.code, error.message)
        if all(isinstance(part, str) for part in said):
            code, message = error.code, error.message
        given: Any = error.kind
        kind = given if isinstance(given, str) else None
    elif isinstance(error, SystemExit):
        message = "the tool tried to end the process"
    return failure(code, message, "body", body_started=True, name=type_name(error), kind=kind)


def _aborted(pending: PendingCall, signal: CancelSignal) -> BodyOutcome:
    code = "ABORTED" if pending.started else "ABORTED_BEFORE_DISPATCH"
    reason = signal.reason or "cancelled"
    return failure(code, f"the call was aborted: {reason}", "signal", body_started=pending.started)


def _late(pending: PendingCall, job: Job) -> None:
    """A thread has ended after its call had settled."""
    report_late(pending, None if job.error is not None else _late_outcome(pending, job.value))


def _late_outcome(pending: PendingCall, value: object) -> BodyOutcome | None:
    if pending.contract is None:
        return None
    try:
        return admit(pending.contract, pending.execution.arguments, value)
    except OutputError:
        return None


def report_late(pending: PendingCall, outcome: BodyOutcome | None) -> None:
    """Tell the owner that a body ended after its call had settled as unknown.

    Args:
        outcome: What it came to; None if it came to nothing that could be a result.
    """
    owner = pending.request.owner
    if owner is None or pending.contract is None:
        return
    has_succeeded = outcome is not None and not outcome.is_error
    owner.on_late(
        LateSettlement(
            call_id=pending.request.call_id,
            outcome="ok" if has_succeeded else "error",
            value_sha256=sha256_of(outcome.value)
            if outcome is not None and has_succeeded
            else None,
        )
    )
