"""Intents: what a tool announces before a side effect that only it can see (PIPELINE 15.2).

Subscribers can deny; the intent and its decision are logged under the call.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from codemode.runtime.errors import IntentDeniedError
from codemode.runtime.execution import Execution
from codemode.runtime.failures import encodable
from codemode.runtime.hook_faults import HookFaultError
from codemode.runtime.policy import IntentSubscriber, hook_name
from codemode.sandbox.values import Json


async def announce(execution: Execution, event_type: str, data: dict[str, Json]) -> None:
    """Put an intent to the subscribers in force for the call.

    Raises:
        IntentDeniedError: One of them denies it.
        HookFaultError: One answered neither a text nor None.
    """
    denial = await _denial(execution, execution.scope.hooks("intent"), event_type, data)
    if execution.owner is not None:
        decision: dict[str, Json] = {"outcome": "allow" if denial is None else "deny"}
        if denial is not None:
            decision["reason"], decision["name"] = denial
        execution.owner.record(
            event_type,
            {
                "call_id": execution.call_id,
                "name": execution.name,
                "data": data,
                "decision": decision,
            },
        )
    if denial is not None:
        raise IntentDeniedError(denial[0])


async def _denial(
    execution: Execution,
    subscribers: Sequence[IntentSubscriber],
    event_type: str,
    data: Mapping[str, Json],
) -> tuple[str, str] | None:
    """The first reason and who gave it."""
    for subscriber in subscribers:
        reason: Any = subscriber(execution, event_type, data)
        if inspect.isawaitable(reason):
            reason = await reason
        if reason is None:
            continue
        name = hook_name(subscriber)
        if not isinstance(reason, str):
            raise HookFaultError(f"intent subscriber {name} answered {type(reason).__name__}")
        return encodable(reason) or "denied", name
    return None
