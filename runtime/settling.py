"""After the body: post-execute policies, the finalizer, and the frozen result.

Each layer gets its own budget of changes and is refused the rest. Everything but the policies is
synchronous, so that a call that has begun is always published.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from codemode.runtime.content import content_as_json
from codemode.runtime.contexts import context_message
from codemode.runtime.contract import Contract
from codemode.runtime.doors import OutputError, admit, checked_content
from codemode.runtime.failures import describe_exception, type_name
from codemode.runtime.hook_faults import HookFaultError, discard, failed, is_failure
from codemode.runtime.log.canonical import encode, sha256_of
from codemode.runtime.pending import PendingCall, failure
from codemode.runtime.policy import (
    UNSET,
    Accept,
    Block,
    BodyOutcome,
    Observer,
    PostPolicy,
    hook_name,
)
from codemode.runtime.result import ContextMessage, Result
from codemode.sandbox.values import Json, snapshot

_logger: Final = logging.getLogger("codemode.pipeline")


async def run_posts(
    pending: PendingCall, policies: Sequence[PostPolicy], current: Contract | None
) -> None:
    """Ask the post-execute policies in order; a block ends the chain.

    Args:
        current: The tool as the registry has it now; None when it has vanished.

    Raises:
        HookFaultError: A forbidden move.
        HookFailedError: A policy threw.
    """
    trace = pending.trace
    for policy in policies:
        outcome = pending.outcome
        if outcome is None:
            raise RuntimeError("post-execute needs an outcome")
        answer: Any
        try:
            answer = policy(pending.execution, outcome)
            if inspect.isawaitable(answer):
                answer = await answer
        except BaseException as raised:  # noqa: BLE001 - judged by `failed`, and raised again
            raise failed(raised, f"the post-execute policy {hook_name(policy)}") from None
        if answer is None:
            continue
        name = hook_name(policy)
        if not isinstance(answer, (Accept, Block)):
            raise HookFaultError(
                f"post-execute policy {name} answered {type(answer).__name__};"
                " it may answer Accept, Block or None"
            )
        contexts = _checked_contexts(name, answer.contexts)
        if isinstance(answer, Block):
            trace.answered("post", name, "block", answer.feedback)
            _block(pending, answer, contexts)
            return
        pending.contexts.extend(contexts)
        if answer.value is UNSET and answer.content is UNSET:
            continue
        trace.answered(
            "post", name, "replace value" if answer.content is UNSET else "replace content"
        )
        pending.outcome = _replaced(pending, outcome, answer, name, current)
        pending.replaced_by.append("post")


def _checked_contexts(name: str, contexts: Any) -> list[ContextMessage]:
    if not all(isinstance(context, ContextMessage) for context in contexts):
        raise HookFaultError(
            f"post-execute policy {name} added a context that is no ContextMessage"
        )
    return [context_message(context, source=name) for context in contexts]


def _block(pending: PendingCall, block: Block, contexts: list[ContextMessage]) -> None:
    """A failure without a value; what the body deferred is dropped."""
    pending.effects.contexts.clear()
    pending.effects.conclude = False
    pending.contexts[:] = contexts
    pending.fail("DENIED", block.feedback, "post", name="Blocked")


def _replaced(
    pending: PendingCall,
    outcome: BodyOutcome,
    accept: Accept,
    name: str,
    current: Contract | None,
) -> BodyOutcome:
    if accept.value is not UNSET and accept.content is not UNSET:
        raise HookFaultError(f"post-execute policy {name} replaced both value and content")
    if accept.value is UNSET:
        return replace(outcome, content=checked_content(accept.content))
    if outcome.is_error:
        raise HookFaultError(f"post-execute policy {name} replaced the value of a failure")
    if current is None:
        return failure(
            "UNKNOWN_TOOL",
            f"{pending.execution.name} vanished while it ran; its value cannot be replaced",
            "post",
            body_started=pending.started,
        )
    try:
        return admit(current, pending.execution.arguments, accept.value)
    except OutputError as error:
        return failure("INVALID_TOOL_OUTPUT", str(error), "post", body_started=pending.started)


def finalise(pending: PendingCall) -> bool:
    """Run the tool's finalizer, once, as it was captured when the call began.

    Returns:
        Whether it replaced the content.
    """
    contract = pending.contract
    outcome = pending.outcome
    if contract is None or outcome is None or contract.tool.finalize_content is None:
        return False
    try:
        content: Any = contract.tool.finalize_content(pending.execution.arguments, outcome)
        if content is None:
            return False
        if inspect.isawaitable(content):
            discard(content)
            raise HookFaultError("the finalizer returned an awaitable; it is synchronous")
        finalised = checked_content(content)
    except Exception as error:  # noqa: BLE001 - the tool's own finalizer is called here
        message = f"the tool's finalizer failed: {describe_exception(error)}"
        pending.fail("PIPELINE_FAILURE", message, "finalizer", name=type_name(error))
        return False
    pending.outcome = replace(outcome, content=finalised)
    pending.replaced_by.append("finalizer")
    return True


def freeze(pending: PendingCall) -> Result:
    """The call's one result."""
    outcome = pending.outcome
    if outcome is None:
        raise RuntimeError("a call cannot settle without an outcome")
    request = pending.request
    execution = pending.execution
    is_error = outcome.error is not None
    body = pending.body_outcome
    value_digest, value_bytes = (None, 0) if is_error else _digest(outcome.value)
    body_digest = None
    if body is not None:
        body_digest = (
            value_digest if body.value is outcome.value and not is_error else _digest(body.value)[0]
        )
    meta = dict(outcome.meta or {})
    if own := {**pending.meta, **pending.effects.meta}:
        meta["codemode"] = own
    frozen_meta: Any = snapshot(meta) if meta else None
    return Result(
        call_id=request.call_id,
        root_call_id=execution.root_call_id,
        tool_name=execution.name,
        value=None if is_error else outcome.value,
        content=outcome.content,
        is_error=is_error,
        error_info=outcome.error,
        arguments=execution.arguments,
        arguments_changed=pending.arguments_changed,
        meta=frozen_meta,
        decision=pending.decision,
        contexts=(*pending.effects.contexts, *pending.contexts),
        concludes_turn=pending.effects.conclude and not is_error,
        stops_turn=pending.stop or pending.effects.stop,
        replaced_by=tuple(pending.replaced_by),
        body_value_sha256=body_digest,
        value_sha256=value_digest,
        body_content_sha256=sha256_of(content_as_json(body.content))
        if body is not None and pending.replaced_by
        else None,
        value_bytes=value_bytes,
        locator=pending.locator,
        defer_handle=pending.defer_handle,
        deferred_from=request.deferred_from,
    )


def publish(pending: PendingCall, result: Result, observers: Sequence[Observer]) -> None:
    """Show the very object that the caller gets; an observer's throw is logged and contained."""
    for observer in observers:
        try:
            answer: Any = observer(pending.execution, result)
            if answer is not None and inspect.isawaitable(answer):
                discard(answer)
                raise HookFaultError("an observer returned an awaitable; it is synchronous")
        except BaseException as raised:
            if not is_failure(raised):
                raise
            # One observer's fault must reach neither the caller nor the others.
            _logger.exception("observer %s failed on call %s", hook_name(observer), result.call_id)


def _digest(value: Json) -> tuple[str, int]:
    data = encode(value)
    return hashlib.sha256(data).hexdigest(), len(data)
