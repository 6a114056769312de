"""One question to a person: redacted, logged before and after, and a denial when in doubt.

The time that a person takes is measured on the clock, and the owner's hold is entered meanwhile, so
that it is charged to nobody's budget.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import uuid4

import anyio

from codemode.runtime.approval import ANSWERS, ApprovalChannel, ApprovalOutcome, ApprovalRequest
from codemode.runtime.clock import Clock
from codemode.runtime.execution import Execution
from codemode.runtime.failures import encodable
from codemode.runtime.hook_faults import HookFaultError, failed
from codemode.runtime.owner import Owner
from codemode.runtime.result import ApprovalRecord
from codemode.sandbox.values import Json, snapshot

#: (tool name, arguments) -> what a person may see of them.
Redact = Callable[[str, Mapping[str, Json]], Mapping[str, Any]]

NO_CHANNEL: Final = "approval is needed, and there is nobody to ask"

#: Outcome -> (pipeline code, what the model reads).
REFUSALS: Final[Mapping[str, tuple[str, str]]] = {
    "rejected": ("APPROVAL_REJECTED", "a person rejected this call"),
    "cancelled": ("APPROVAL_CANCELLED", "the question to a person was cancelled"),
    "unavailable": ("APPROVAL_UNAVAILABLE", NO_CHANNEL),
}


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, ready for the result.

    Attributes:
        reason: The person's own words, if any.
    """

    record: ApprovalRecord
    reason: str = ""


class Approver:
    """Asks through a channel, or refuses when there is none.

    Args:
        redact: A throw in it withholds the arguments.
    """

    def __init__(
        self, channel: ApprovalChannel | None, *, clock: Clock, redact: Redact | None
    ) -> None:
        self._channel = channel
        self._clock = clock
        self._redact = redact

    async def ask(self, execution: Execution, reason: str) -> Answered:
        """Put the question; the answer is logged before it is used.

        Raises:
            HookFailedError: The channel or the owner's log threw.
        """
        owner = execution.owner
        if owner is None or self._channel is None:
            return Answered(ApprovalRecord(outcome="unavailable", by="nobody", waited_ms=0))
        shown = self._shown(execution)
        approval_id = uuid4().hex
        asked: dict[str, Json] = {
            "approval_id": approval_id,
            "call_id": execution.call_id,
            "name": execution.name,
            "reason": reason,
            "arguments": shown,
        }
        if execution.line is not None:
            asked["line"] = execution.line
        owner.record("approval/asked", asked)
        began = self._clock.now()
        said: object = None
        try:
            with owner.hold():
                answer: Any = self._channel.ask(_request(execution, owner, reason, shown))
                if not inspect.isawaitable(answer):
                    raise HookFaultError(f"{_name(self._channel)}.ask must be an async method")
                said = await answer
        except BaseException as raised:  # noqa: BLE001 - whatever it is: a question has its end
            error = failed(raised, f"the approval channel {_name(self._channel)}")
            is_withdrawn = error is raised and isinstance(raised, anyio.get_cancelled_exc_class())
            answered = (
                self._answered("cancelled", "caller", began)
                if is_withdrawn
                else self._answered("unavailable", "channel", began)
            )
            self._decided(owner, execution, approval_id, answered)
            raise error from None
        try:
            judged = self._judged(said, began)
        except Exception:  # noqa: BLE001 - an untyped channel's; a question in the log has its end
            judged = self._answered("unavailable", "channel", began)
        self._decided(owner, execution, approval_id, judged)
        if judged.record.outcome == "allowed":
            # A question that a crash leaves open is then one whose call has not begun.
            await owner.flush()
        return judged

    def _judged(self, said: Any, began: float) -> Answered:
        """An answer outside the vocabulary is a missing channel's."""
        if not isinstance(said, ApprovalOutcome):
            why = f"the channel answered {type(said).__name__}, not an ApprovalOutcome"
            return self._answered("unavailable", "channel", began, reason=why)
        if said.answer not in ANSWERS:
            why = f"the channel's answer {said.answer!r} is none of {', '.join(sorted(ANSWERS))}"
            return self._answered("unavailable", said.by, began, reason=why)
        return self._answered(
            said.answer, said.by, began, remembered=bool(said.remembered), reason=str(said.reason)
        )

    def _answered(
        self,
        outcome: Literal["allowed", "rejected", "cancelled", "unavailable"],
        by: str,
        began: float,
        *,
        remembered: bool = False,
        reason: str = "",
    ) -> Answered:
        waited = max(0, round((self._clock.now() - began) * 1000))
        record = ApprovalRecord(
            outcome=outcome, by=encodable(str(by)), waited_ms=waited, remembered=remembered
        )
        return Answered(record, encodable(reason))

    def _decided(
        self, owner: Owner, execution: Execution, approval_id: str, answer: Answered
    ) -> None:
        decided: dict[str, Json] = {
            "approval_id": approval_id,
            "call_id": execution.call_id,
            **answer.record.as_json(),
        }
        if answer.reason:
            decided["reason"] = answer.reason
        owner.record("approval/decided", decided)

    def _shown(self, execution: Execution) -> Any:
        if self._redact is None:
            return execution.arguments
        try:
            return snapshot(dict(self._redact(execution.name, execution.arguments)))
        except Exception:  # noqa: BLE001 - the host's redaction; what it cannot judge is withheld
            return snapshot({"withheld": "the redaction of the arguments failed"})


def _name(channel: object) -> str:
    return type(channel).__name__


def _request(
    execution: Execution, owner: Owner, reason: str, shown: Mapping[str, Json]
) -> ApprovalRequest:
    tool = execution.tool
    return ApprovalRequest(
        call_id=execution.call_id,
        root_call_id=execution.root_call_id,
        tool_name=execution.name,
        reason=reason,
        arguments=shown,
        effects=frozenset() if tool is None else tool.effects,
        is_nested=execution.is_nested,
        line=execution.line,
        run_id=owner.run_id,
    )
