"""Whether a call may run: the cancelled check, pre-execute policies, approval, guards.

A denial is decided here and nowhere later. Whatever throws fails closed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal
from uuid import uuid4

import anyio

from codemode.runtime.approving import REFUSALS, Approver
from codemode.runtime.deciding import Verdict, decide, first_denial
from codemode.runtime.execution import CallRequest
from codemode.runtime.failures import encodable
from codemode.runtime.opening import unknown_tool
from codemode.runtime.pending import PendingCall
from codemode.runtime.policy import Allow, Ask, Defer, Deny, Stop
from codemode.runtime.result import Decision
from codemode.runtime.stages import End, Stage

#: Keeps the request of a deferral under its handle.
KeepDeferred = Callable[[str, CallRequest], None]


class Admission:
    """Decides calls.

    Args:
        keep: Where the request of a deferral is kept.
    """

    def __init__(self, approver: Approver, keep: KeepDeferred) -> None:
        self._approver: Final = approver
        self._keep: Final = keep

    async def decide(self, pending: PendingCall) -> None:
        """Run the stages before the body, unless the call has ended already."""
        if pending.has_ended():
            return
        pending.enter(Stage.CANCEL_CHECK)
        if pending.ends_cancelled():
            return
        pending.enter(Stage.PRE)
        if pending.execution.scope.hooks("pre"):
            await self._ask_policies(pending)
            if pending.has_ended() or pending.ends_cancelled():
                return
        pending.enter(Stage.GUARD)
        self._guard(pending)
        if pending.has_ended() or pending.ends_cancelled():
            return
        if pending.contract is None:
            pending.end(End.UNKNOWN_TOOL, "UNKNOWN_TOOL", unknown_tool(pending))

    async def _ask_policies(self, pending: PendingCall) -> None:
        """The chain and the approval, cut short when the caller's signal fires."""
        try:
            with anyio.CancelScope() as scope:
                dispose = pending.source.signal.subscribe(scope.cancel)
                try:
                    await self._run_chain(pending)
                finally:
                    dispose()
        except anyio.get_cancelled_exc_class() as error:
            pending.cancel_by_task(error)

    async def _run_chain(self, pending: PendingCall) -> None:
        execution = pending.execution
        try:
            verdict = await decide(
                execution,
                execution.scope.hooks("pre"),
                pending.trace,
                may_defer=pending.request.deferred_from is None,
            )
        except Exception as error:  # noqa: BLE001 - the host's policies are called here
            pending.fault(End.PRE_FAILED, "a policy", error)
            return
        match verdict.answer:
            case Allow():
                if verdict.rule:
                    pending.decision = Decision(layer="pre", rule=verdict.rule)
            case Ask(reason=reason):
                await self._ask_person(pending, encodable(reason), verdict.rule)
            case Deny(reason=reason):
                reason = encodable(reason)
                pending.decision = _decision("deny", verdict, reason)
                pending.end(End.DENIED, "DENIED", reason or "denied")
            case Stop(reason=reason):
                reason = encodable(reason)
                pending.decision = _decision("stop", verdict, reason)
                pending.stop = reason
                pending.end(End.STOPPED, "STOPPED", reason)
            case Defer(reason=reason) if not pending.request.may_be_deferred:
                reason = encodable(reason)
                pending.decision = _decision("deny", verdict, reason)
                pending.end(End.DENIED, "DENIED", f"this call cannot be deferred: {reason}")
            case Defer(reason=reason):
                reason = encodable(reason)
                pending.decision = _decision("defer", verdict, reason)
                self._defer(pending, reason)

    def _defer(self, pending: PendingCall, reason: str) -> None:
        handle = uuid4().hex
        execution = pending.execution
        try:
            if execution.owner is not None:
                execution.owner.record(
                    "tool/deferred",
                    {
                        "call_id": execution.call_id,
                        "handle": handle,
                        "name": execution.name,
                        "effective_arguments": dict(execution.arguments),
                        "reason": reason,
                    },
                )
        except Exception as error:  # noqa: BLE001 - the owner's log is called here
            pending.fault(End.PRE_FAILED, "the log", error)
            return
        self._keep(handle, pending.request)
        pending.defer_handle = handle
        message = f"the call was deferred and has not run: {reason} (handle {handle})"
        pending.end(End.DEFERRED, "DEFERRED", message)

    async def _ask_person(self, pending: PendingCall, reason: str, rule: str) -> None:
        if pending.ends_cancelled():
            return
        pending.enter(Stage.APPROVAL)
        try:
            answered = await self._approver.ask(pending.execution, reason)
        except Exception as error:  # noqa: BLE001 - the host's channel and log are called here
            pending.fault(End.APPROVAL_FAILED, "the approval", error)
            return
        record = answered.record
        is_allowed = record.outcome == "allowed"
        pending.decision = Decision(
            outcome="allow" if is_allowed else "deny",
            layer="approval",
            rule=rule,
            reason=answered.reason or reason,
            approval=record,
        )
        if is_allowed or (record.outcome == "cancelled" and pending.ends_cancelled()):
            return
        code, said = REFUSALS[record.outcome]
        pending.end(End.REFUSED, code, f"{said}: {answered.reason}" if answered.reason else said)

    def _guard(self, pending: PendingCall) -> None:
        execution = pending.execution
        guards = execution.scope.hooks("guard")
        if not guards:
            return
        try:
            denial = first_denial(execution, guards, pending.trace)
        except Exception as error:  # noqa: BLE001 - the host's guards are called here
            pending.fault(End.GUARD_FAILED, "a guard", error)
            return
        if denial is not None:
            reason, name = denial
            pending.decision = Decision(outcome="deny", layer="guard", rule=name, reason=reason)
            pending.end(End.GUARDED, "DENIED", reason)


def _decision(outcome: Literal["deny", "stop", "defer"], verdict: Verdict, reason: str) -> Decision:
    return Decision(outcome=outcome, layer="pre", rule=verdict.rule, reason=reason)
