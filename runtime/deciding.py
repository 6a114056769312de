"""What the hooks before the body say, added up: the pre-execute chain and the guards.

A chain's answers add up to the strictest; a later link may tighten and never loosen, except that a
declared grant answers an ask. An answer outside the vocabulary is a fault, never an allowance.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from codemode.runtime.execution import Execution
from codemode.runtime.failures import encodable
from codemode.runtime.hook_faults import HookFaultError, discard, failed
from codemode.runtime.policy import (
    STRICTNESS,
    Allow,
    Ask,
    Defer,
    Guard,
    PreDecision,
    PrePolicy,
    hook_name,
)
from codemode.runtime.tracing import HookTrace

_MAX_STRICTNESS: Final = max(STRICTNESS.values())


@dataclass(frozen=True, slots=True)
class Verdict:
    """A chain's answer and who gave it.

    Attributes:
        rule: The answer's rule, else the policy's name; "" when nobody had an opinion.
    """

    answer: PreDecision
    rule: str


NO_OPINION: Final = Verdict(Allow(), "")


async def decide(
    execution: Execution, policies: Sequence[PrePolicy], trace: HookTrace, *, may_defer: bool
) -> Verdict:
    """Ask every policy; only a stop cuts the chain short, for nothing is stricter.

    Args:
        may_defer: False for a call that takes up a deferral: a second one is no opinion.

    Raises:
        HookFaultError: An answer that is not in the vocabulary.
        HookFailedError: A policy threw.
    """
    strictest = NO_OPINION
    rank = -1
    grant: Verdict | None = None
    for policy in policies:
        name = hook_name(policy)
        answer: Any
        try:
            answer = policy(execution)
            if inspect.isawaitable(answer):
                answer = await answer
        except BaseException as raised:  # noqa: BLE001 - judged by `failed`, and raised again
            raise failed(raised, f"the policy {hook_name(policy)}") from None
        if answer is None:
            continue
        answer_rank = _strictness(answer)
        if answer_rank is None:
            raise HookFaultError(
                f"policy {name} answered {type(answer).__name__};"
                " it may answer Allow, Deny, Ask, Stop, Defer or None"
            )
        if not isinstance(answer.rule, str):
            raise HookFaultError(f"policy {name} named a rule that is not text")
        verdict = Verdict(answer, encodable(answer.rule) or name)
        if answer_rank:
            if not isinstance(answer.reason, str):
                raise HookFaultError(f"policy {name} gave a reason that is not text")
            trace.answered("pre", name, type(answer).__name__.lower(), answer.reason)
        if isinstance(answer, Allow) and answer.is_grant:
            grant = grant or verdict
        if isinstance(answer, Defer) and not may_defer:
            continue
        if answer_rank > rank:
            strictest, rank = verdict, answer_rank
        if rank == _MAX_STRICTNESS:
            break
    if grant is not None and isinstance(strictest.answer, (Ask, Allow)):
        return grant
    return strictest


def _strictness(answer: object) -> int | None:
    return STRICTNESS.get(type(answer))


def first_denial(
    execution: Execution, guards: Sequence[Guard], trace: HookTrace
) -> tuple[str, str] | None:
    """Run the guards in order; the first reason wins.

    Returns:
        (reason, the guard's name), or None when all pass.

    Raises:
        HookFaultError: An answer that is neither a text nor None.
        HookFailedError: A guard threw.
    """
    for guard in guards:
        reason: Any
        try:
            reason = guard(execution)
        except BaseException as raised:  # noqa: BLE001 - judged by `failed`, and raised again
            raise failed(raised, f"the guard {hook_name(guard)}") from None
        if reason is None:
            continue
        name = hook_name(guard)
        if not isinstance(reason, str):
            discard(reason)
            raise HookFaultError(
                f"guard {name} answered {type(reason).__name__};"
                " it is synchronous and gives a reason or None"
            )
        trace.answered("guard", name, "deny", reason)
        return encodable(reason) or "denied", name
    return None
