"""Wrappers around the body: the chain, and the narrow view that each one gets.

A wrapper may replace `signal`, wrap the body or skip it. It cannot sever the caller: the caller's
own signal is fused back just before the body, wherever the wrapper has put itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from codemode.runtime.cancellation import CancelSignal
from codemode.runtime.contexts import context_message
from codemode.runtime.errors import MisuseError
from codemode.runtime.execution import Execution
from codemode.runtime.hook_faults import failed
from codemode.runtime.pending import PendingCall, failure
from codemode.runtime.policy import BodyOutcome, Wrapper, hook_name

#: Runs the body under a wrapper's signal (None: nobody replaced it).
RunBody = Callable[[PendingCall, "CancelSignal | None"], Awaitable[BodyOutcome]]


class WrapperFaultError(TypeError):
    """A wrapper returned something that is no outcome, or called on after it had returned."""


class AroundView:
    """One wrapper's view of a call; only `signal` can be set."""

    __slots__ = ("_inherited", "_pending", "_signal")

    def __init__(self, pending: PendingCall, signal: CancelSignal | None) -> None:
        self._pending = pending
        self._inherited = signal
        self._signal = signal

    @property
    def execution(self) -> Execution:
        """The frozen call."""
        return self._pending.execution

    @property
    def signal(self) -> CancelSignal:
        """What ends the body, besides the caller's own signal."""
        return self._signal or self._pending.execution.signal

    @signal.setter
    def signal(self, value: CancelSignal) -> None:
        if not isinstance(value, CancelSignal):  # pyright: ignore[reportUnnecessaryIsInstance] -- untyped hosts
            raise TypeError(f"signal must be a CancelSignal, not {type(value).__name__}")
        self._signal = value

    @property
    def replaced_signal(self) -> CancelSignal | None:
        """The signal in force for what is inside; None when nobody replaced the caller's."""
        return self._signal

    def restore(self) -> None:
        """Give the view the signal that it began with."""
        self._signal = self._inherited

    def success(self, value: Any) -> BodyOutcome:
        """A success of the wrapper's own; the doors judge it like a body's."""
        return BodyOutcome(value=value)

    def failure(self, message: str, code: str = "TOOL_ERROR") -> BodyOutcome:
        """A failure of the wrapper's own."""
        return failure(code, message, "around", body_started=self._pending.started)

    def defer_context(self, message: object, *, source: str) -> None:
        """Add a user message to the call's result, after the body's own."""
        self._pending.contexts.append(context_message(message, source=source))


async def run_chain(
    pending: PendingCall, wrappers: Sequence[Wrapper], run_body: RunBody
) -> BodyOutcome:
    """Run the wrappers from the outermost in, the body innermost.

    Raises:
        WrapperFaultError: See there.
        Exception: Whatever a wrapper throws.
    """
    return await _link(pending, wrappers, 0, None, run_body)


async def _link(
    pending: PendingCall,
    wrappers: Sequence[Wrapper],
    at: int,
    signal: CancelSignal | None,
    run_body: RunBody,
) -> BodyOutcome:
    if at == len(wrappers):
        return await run_body(pending, signal)
    wrapper = wrappers[at]
    view = AroundView(pending, signal)
    chain = _Inner(pending, wrappers, at + 1, view, run_body)
    try:
        outcome: Any = await wrapper(view, chain.call)
    except Exception as raised:  # a wrapper outside may catch it: it stays what it is
        pending.blame(raised, hook_name(wrapper))
        raise
    except BaseException as raised:  # noqa: BLE001 - judged by `failed`, and raised again
        raise failed(raised, f"the wrapper {hook_name(wrapper)}") from None
    finally:
        chain.is_open = False
        view.restore()
    if not isinstance(outcome, BodyOutcome):
        raise WrapperFaultError(
            f"wrapper {hook_name(wrapper)} returned {type(outcome).__name__}, not an outcome"
        )
    return outcome


class _Inner:
    """`call_next` of one wrapper: may be called again (a retry), never twice at once or later."""

    __slots__ = ("_at", "_is_running", "_pending", "_run_body", "_view", "_wrappers", "is_open")

    def __init__(
        self,
        pending: PendingCall,
        wrappers: Sequence[Wrapper],
        at: int,
        view: AroundView,
        run_body: RunBody,
    ) -> None:
        self._pending = pending
        self._wrappers = wrappers
        self._at = at
        self._view = view
        self._run_body = run_body
        self._is_running = False
        self.is_open = True

    async def call(self) -> BodyOutcome:
        """Run what is inside.

        Raises:
            MisuseError: The wrapper has returned, or a call of it is running.
        """
        if not self.is_open or self._is_running:
            raise MisuseError("call_next may be called while the wrapper runs, once at a time")
        self._is_running = True
        try:
            return await _link(
                self._pending, self._wrappers, self._at, self._view.replaced_signal, self._run_body
            )
        finally:
            self._is_running = False
