"""The first stages of a call: which tool, may it be called here, and with which arguments.

Synchronous and without side effects: no hook runs, and nothing is published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from codemode.runtime.arguments import (
    ArgumentsError,
    Prepared,
    prepare_arguments,
    read_arguments,
)
from codemode.runtime.contract import Contract
from codemode.runtime.definition import RUN_CODE
from codemode.runtime.execution import CallRequest, Execution, Token
from codemode.runtime.pending import PendingCall, is_safe
from codemode.runtime.scope import Scope
from codemode.runtime.stages import End, Stage
from codemode.runtime.tracing import HookTrace
from codemode.sandbox.values import snapshot
from codemode.sdkgen import did_you_mean

_EMPTY: Final[Any] = snapshot({})


@dataclass(frozen=True, slots=True)
class Judged:
    """What `may_overlap` found, for the `open_call` that follows at once: nothing is done twice.

    Attributes:
        read: The arguments, read from the request.
    """

    request: CallRequest
    contract: Contract
    read: Any
    prepared: Prepared


def open_call(pending: PendingCall, scope: Scope, judged: Judged | None = None) -> None:
    """Read, collapse, normalise and validate; fixes the execution and gives it its token.

    Args:
        judged: What was found of this very request before, if it was; everything in it is pure.
    """
    request = pending.request
    contract, closed = lookup(request, scope)
    pending.contract = contract
    arguments: Any = _EMPTY
    try:
        is_same = judged is not None and judged.request is request
        if judged is not None and not (is_same and judged.contract is contract):
            judged = None
        arguments = read_arguments(request.arguments) if judged is None else judged.read
        pending.enter(Stage.COLLAPSE)
        if closed:
            pending.end(End.COLLAPSED, "UNKNOWN_TOOL", closed)
        else:
            pending.enter(Stage.VALIDATE)
            if contract is not None:
                prepared = (
                    prepare_arguments(contract, arguments) if judged is None else judged.prepared
                )
                arguments = prepared.value
                pending.arguments_changed = prepared.is_changed
                if prepared.is_coerced:
                    pending.meta["coerced"] = True
    except ArgumentsError as error:
        pending.end(End.INVALID_ARGUMENTS, "INVALID_ARGS", error.message)
        pending.meta["invalid_arguments"] = error.as_meta()
    pending.execution = Execution(
        call_id=request.call_id,
        root_call_id=request.root_call_id or request.call_id,
        name=request.name if contract is None else contract.tool.name,
        tool=None if contract is None else contract.tool,
        arguments=arguments,
        raw_arguments=request.arguments,
        scope=scope,
        token=Token(),
        parent=request.parent,
        signal=request.signal or pending.source.signal,
        line=request.line,
        owner=request.owner,
        deferred_from=request.deferred_from,
    )
    pending.trace = HookTrace(pending.execution)


def lookup(request: CallRequest, scope: Scope) -> tuple[Contract | None, str]:
    """The tool that a request names, and why its entry point is closed ("" when it is open)."""
    view = scope.view()
    name = view.canonical(request.name)
    mode = request.mode or scope.mode
    if name == RUN_CODE:
        is_open = request.parent is None and mode != "native"
        return (scope.registry.transport_contract if is_open else None), ""
    contract = view.contract(name)
    if contract is None or request.is_host:
        return contract, ""
    pin = contract.tool.pin
    if request.parent is not None:
        return (None if pin == "native" else contract), ""
    if mode == "code" or pin == "code":
        return contract, f"{request.name} cannot be called directly here; call it inside {RUN_CODE}"
    return contract, ""


def may_overlap(request: CallRequest, scope: Scope) -> tuple[bool, Judged | None]:
    """Whether the call may overlap others if it started now; hidden or invalid means it may not."""
    contract, closed = lookup(request, scope)
    if contract is None or closed or contract.tool.is_concurrency_safe is False:
        return False, None
    try:
        read = read_arguments(request.arguments)
        prepared = prepare_arguments(contract, read)
    except ArgumentsError:
        return False, None
    return is_safe(contract, prepared.value), Judged(request, contract, read, prepared)


def unknown_tool(pending: PendingCall) -> str:
    """What to say of a name that is not visible, without naming what is hidden."""
    name = pending.request.name
    if name == RUN_CODE and pending.request.parent is not None:
        return f"{RUN_CODE} cannot be called inside a program"
    if name == RUN_CODE:
        return (
            f"{RUN_CODE} is not offered here: the mode is native, or has changed since;"
            " call the tools directly"
        )
    close = did_you_mean(name, pending.execution.scope.view().advertised_names())
    hint = f"; did you mean {close}?" if close else ""
    return f"there is no tool named {name[:200]}{hint}"
