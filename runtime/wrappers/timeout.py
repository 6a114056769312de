"""The timeout wrapper, mounted by default: a tool's `timeout_s` is enforced.

It sets a signal of its own that fires when its timer does; the outcome is `TOOL_TIMEOUT` only
then. Like any cancellation it replaces a success, but no failure of the tool's own and no unknown
outcome.
"""

from __future__ import annotations

from codemode.runtime.cancellation import CancelSource
from codemode.runtime.policy import Around, BodyOutcome, CallNext, Wrapper
from codemode.runtime.timers import Timers

#: What a body comes to when it was ended by a signal.
_ENDED: frozenset[str] = frozenset({"ABORTED", "ABORTED_BEFORE_DISPATCH"})


def timeout_wrapper(timers: Timers) -> Wrapper:
    """A wrapper that ends bodies after their tool's `timeout_s`."""

    async def timeout(around: Around, call_next: CallNext) -> BodyOutcome:
        tool = around.execution.tool
        if tool is None or tool.timeout_s is None:
            return await call_next()
        timer = CancelSource()
        message = f"{tool.name} took longer than {tool.timeout_s:g} s"
        inherited = around.signal
        unsubscribe = inherited.subscribe(lambda: timer.cancel(inherited.reason or ""))
        around.signal = timer.signal
        lift = timers.after(tool.timeout_s, lambda: timer.cancel(message))
        try:
            outcome = await call_next()
        finally:
            lift()
            unsubscribe()
        is_due = timer.signal.reason == message
        if is_due and (outcome.error is None or outcome.error.code in _ENDED):
            return around.failure(message, "TOOL_TIMEOUT")
        return outcome

    return timeout
