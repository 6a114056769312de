"""The events of a program and of its calls, as data: one function for each event.

Pure: what is logged is decided here and nowhere else. Source: spec CODE_MODE 6.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final, cast

from codemode.runtime.code_mode.ledger import DispatchOutcome, Ledger, LedgerEntry
from codemode.runtime.content import Content, content_as_json, text_content
from codemode.runtime.execution import CallRequest, Mode, RunContext
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.owner import LateSettlement
from codemode.runtime.pipeline import PendingCall
from codemode.runtime.result import DEFAULT_DECISION, Result
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Outcome, Program
from codemode.sandbox.values import FrozenDict, Json
from codemode.sdkgen import Sdk

_BY_CODE: Final[dict[str, DispatchOutcome]] = {
    "DEFERRED": "deferred",
    "DENIED": "denied",
    "APPROVAL_REJECTED": "denied",
    "APPROVAL_CANCELLED": "denied",
    "APPROVAL_UNAVAILABLE": "denied",
    "ABORTED": "aborted",
    "ABORTED_BEFORE_DISPATCH": "aborted",
    "UNKNOWN_OUTCOME": "unknown",
}


def outcome(result: Result, *, has_run_ended: bool) -> DispatchOutcome:
    """The outcome of a settled call in the vocabulary of `tool/code-dispatch`."""
    if result.stops_turn is not None:
        return "stopped"
    info = result.error_info
    if info is None:
        return "discarded" if has_run_ended else "ok"
    if info.code == "ABORTED" and result.body_value_sha256 is not None:
        # The body had succeeded: the side effect happened, only its result was not wanted any more.
        return "discarded"
    return _BY_CODE.get(info.code, "error")


def run_start(
    run: RunContext,
    program: Program,
    sdk: Sdk,
    *,
    mode: Mode,
    isolation: Json,
    limits: Limits,
    clock: float,
    journal_sha256: str | None,
    resumed_from: Json,
) -> dict[str, Json]:
    """`tool/code-run-start`: before the program's first instruction."""
    return {
        "call_id": run.call_id,
        "program": program.source,
        "program_sha256": hashlib.sha256(program.source.encode()).hexdigest(),
        "sdk_sha256": sdk.sha256,
        "mode": mode,
        "isolation": isolation,
        "limits": {**limits.as_json()},
        "seed": program.seed,
        "clock": clock,
        "journal_sha256": journal_sha256,
        "resumed_from": resumed_from,
    }


def run_end(
    run: RunContext, outcome: Outcome, ledger: Ledger, journal_sha256: str | None
) -> dict[str, Json]:
    """`tool/code-run`: what the program came to and used."""
    usage = outcome.usage
    counts = ledger.counts()
    counts.pop("refused", None)
    return {
        "call_id": run.call_id,
        "outcome": "ok" if outcome.failure is None else "error",
        "kind": None if outcome.failure is None else outcome.failure.kind,
        "usage": {
            "wall_s": round(usage.wall_s, 6),
            "cpu_s": round(usage.cpu_s, 6),
            "peak_memory_bytes": usage.peak_memory_bytes,
            "waiting_s": round(usage.waiting_s, 6),
            "sub_calls": dict(counts),
            "bytes_in": usage.bytes_in,
            "bytes_out": usage.bytes_out,
        },
        "journal_sha256": journal_sha256,
    }


def dispatch_start(request: CallRequest, pending: PendingCall, run: RunContext) -> dict[str, Json]:
    """`tool/code-dispatch-start`: before any policy."""
    effective = cast("Json", pending.execution.arguments)
    data: dict[str, Json] = {
        **_ids(request.call_id, run),
        "name": pending.execution.name,
        "arguments": _settled(request.arguments),
        "arguments_sha256": sha256_of(effective),
        "line": request.line,
    }
    if pending.execution.tool is not None and pending.execution.tool.is_read_only:
        data["read_only"] = True
    if pending.arguments_changed:
        data["effective_arguments"] = effective
    return data


def dispatch(
    request: CallRequest,
    result: Result,
    settled: DispatchOutcome,
    run: RunContext,
    elapsed_s: float,
) -> dict[str, Json]:
    """`tool/code-dispatch`: the settlement."""
    return {
        **_ids(request.call_id, run),
        "name": result.tool_name,
        "outcome": settled,
        "duration_ms": round(elapsed_s * 1000, 3),
        "contexts": len(result.contexts),
        **result_fields(result),
    }


def unsettled(
    request: CallRequest, pending: PendingCall, run: RunContext, elapsed_s: float
) -> dict[str, Json]:
    """`tool/code-dispatch` of a call that has begun and of which nothing can be told any more.

    Made of the engine's own words alone, so that there is nothing in it that a log refuses.
    """
    error: Json = {
        "name": "UnknownOutcome",
        "code": "UNKNOWN_OUTCOME",
        "layer": "body",
        "body_started": pending.started,
    }
    return {
        **_ids(request.call_id, run),
        "name": pending.execution.name,
        "outcome": "unknown",
        "duration_ms": round(elapsed_s * 1000, 3),
        "contexts": 0,
        "is_error": True,
        "error": error,
        "decision": DEFAULT_DECISION.as_json(),
        "content": content_as_json(text_content("Error: what it came to is not known")),
        "concludes_turn": False,
    }


def refused(entry: LedgerEntry, reason: str, run: RunContext) -> dict[str, Json]:
    """`tool/code-dispatch-refused`: what never started leaves a trace too."""
    return {
        "root_call_id": run.root_call_id,
        "parent_call_id": run.call_id,
        "ordinal": entry.number,
        "name": entry.name,
        "reason": reason,
    }


def refused_in_guest(notice: str, run: RunContext) -> dict[str, Json]:
    """`tool/code-dispatch-refused` for a call that never left the guest, in its own words."""
    return {
        "root_call_id": run.root_call_id,
        "parent_call_id": run.call_id,
        "reason": "invalid_arguments",
        "detail": notice,
        "claimed_by": "guest",
    }


def late(settlement: LateSettlement) -> dict[str, Json]:
    """`tool/late-settlement`: a body that ended after it had settled as unknown."""
    return {
        "sub_call_id": settlement.call_id,
        "outcome": "ok" if settlement.outcome == "ok" else "error",
        "digest": settlement.value_sha256,
    }


def result_fields(result: Result) -> dict[str, Json]:
    """What `tool/result` and `tool/code-dispatch` say of a result in common."""
    info = result.error_info
    return {
        "is_error": result.is_error,
        "error": None if info is None else info.as_json(),
        "decision": result.decision.as_json(),
        "content": content_as_json(result.content),
        "content_sha256": result.body_content_sha256,
        "replaced_by": result.replaced_by[-1] if result.replaced_by else None,
        "truncated": "spill" in result.replaced_by,
        "value_sha256": result.value_sha256,
        "body_sha256": result.body_value_sha256,
        "meta": None if result.meta is None else dict(result.meta),
        "concludes_turn": result.concludes_turn,
    }


def tool_result(result: Result) -> dict[str, Json]:
    """`tool/result` of a top-level call."""
    fields = result_fields(result)
    fields["error_info"] = fields.pop("error")
    fields["stops_turn"] = True if result.stops_turn is not None else None
    return {"call_id": result.call_id, **fields}


def _settled(arguments: str | Mapping[str, Json]) -> Json:
    """What was submitted: a snapshot as it is, any other mapping as a dict of its own."""
    if isinstance(arguments, (str, FrozenDict)):
        return arguments
    return dict(arguments)


def user_message(content: Content, source: str, meta: Mapping[str, Json]) -> dict[str, Json]:
    """`user/message`: a message for the model, from a person or from a call's contexts."""
    return {"content": content_as_json(content), "source": source, "meta": dict(meta) or None}


def _ids(sub_call_id: str, run: RunContext) -> dict[str, Json]:
    return {
        "root_call_id": run.root_call_id,
        "parent_call_id": run.call_id,
        "sub_call_id": sub_call_id,
    }
