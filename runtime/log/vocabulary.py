"""The whole vocabulary of the session log: every event's fields, as pydantic models.

Each model is one published schema with a version; docs/events.md is generated from this table.
A field is vouched for by the host unless it says `guest`: then it is the program's own claim.
Fields that are None are left out of the log. Nothing here reads or writes.

Source: docs/events.md; the numbered behaviours of CODE_MODE 6, PIPELINE 6.14, 6.22, 7, 10, 15.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

#: A lossless JSON value, or a preview of one that was too large (`{"$preview": {...}}`).
JsonValue = Any

Sha256 = Annotated[str, Field(pattern=r"^(hmac-sha256:)?[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]
Milliseconds = Annotated[float, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0)]
Mode = Literal["native", "code", "both"]
DispatchOutcome = Literal[
    "ok", "error", "denied", "deferred", "stopped", "aborted", "discarded", "unknown"
]
ApprovalOutcome = Literal["allowed", "rejected", "cancelled", "unavailable"]


#: Reasons inside a decision, as paths.
_REASONS: Final = ("decision.reason", "decision.approval.reason")


def _guest(schema: dict[str, Any]) -> None:
    """Mark a field as the program's own claim."""
    schema["vouched"] = "guest"


class Part(BaseModel):
    """A group of fields inside an event."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, defer_build=True, allow_inf_nan=False
    )


class Data(Part):
    """The `data` of one type of event.

    Attributes:
        type: The event's type.
        version: Of the schema; a change that an older reader would misread raises it.
        sensitive: Fields, or dotted paths, that redaction sees before they are written.
        digests: For each sensitive field, the fields that hold a digest of it.
    """

    type: ClassVar[str]
    version: ClassVar[int] = 1
    sensitive: ClassVar[tuple[str, ...]] = ()
    digests: ClassVar[dict[str, tuple[str, ...]]] = {}

    redacted: list[str] | None = Field(
        default=None, description="Fields replaced in this copy; what ran was another value"
    )
    withheld: bool | None = Field(
        default=None, description="The redaction hook failed, so its fields were left out"
    )


class ErrorInfo(Part):
    """Which layer failed, and whether the body had started (PIPELINE 6.14)."""

    name: str = Field(description="Type of the failure, such as `ToolDeniedError`")
    code: str = Field(description="One of the small stable set, such as `DENIED`")
    layer: str = Field(description="Stage of the pipeline that failed")
    body_started: bool
    kind: str | None = Field(default=None, description="Why a program failed, for `run_code`")


class ApprovalInfo(Part):
    """How a person answered, inside a decision."""

    outcome: ApprovalOutcome
    by: str | None = Field(default=None, description="The channel and, where known, the person")
    waited_ms: Milliseconds | None = None
    remembered: bool | None = None
    reason: str | None = None


class Decision(Part):
    """Who let the call run or stopped it (PIPELINE 6.22)."""

    outcome: Literal["allow", "deny", "ask", "stop", "defer"]
    layer: Literal["pre", "approval", "guard", "default"]
    rule: str | None = Field(default=None, description="The rule, policy or guard that decided")
    reason: str | None = None
    approval: ApprovalInfo | None = None


class RunUsage(Part):
    """What a run used."""

    wall_s: Seconds
    cpu_s: Seconds
    peak_memory_bytes: Count
    waiting_s: Seconds = Field(description="Waiting for people; not charged to the run")
    sub_calls: dict[DispatchOutcome, Count] = Field(description="Nested calls by outcome")
    bytes_in: Count
    bytes_out: Count


class SessionOpen(Data):
    """The first event of a session."""

    type = "session/open"
    form: Literal["c1"] = Field(description="Canonical form of the chain")
    engine: str = Field(description="Version of codemode that writes")
    meta: dict[str, JsonValue] | None = Field(default=None, description="The host's own labels")


class SessionClose(Data):
    """The last event of a session; it anchors the end of the chain."""

    type = "session/close"
    count: Count = Field(description="How many events came before this one")
    head: Sha256 = Field(description="`hash` of the event before this one")


class Checkpoint(Data):
    """An anchor inside a session, signed if the host holds a key."""

    type = "log/checkpoint"
    count: Count
    head: Sha256
    algorithm: Literal["ed25519"] | None = None
    public_key: str | None = Field(default=None, description="32 bytes, hexadecimal")
    signature: str | None = Field(default=None, description="64 bytes, hexadecimal")


class Repaired(Data):
    """A later writer settled what a dead one had left open."""

    type = "log/repaired"
    settled: list[str] = Field(description="Ids of the calls settled as `unknown`")
    after_seq: Count = Field(description="`seq` of the last event of the dead writer")


class TurnOpen(Data):
    """A turn begins: the model is about to act."""

    type = "turn/open"
    meta: dict[str, JsonValue] | None = None


class TurnClose(Data):
    """A turn has ended."""

    type = "turn/close"
    reason: str | None = None
    sensitive = ("reason",)


class StepOpen(Data):
    """One model request: what was in force for it (CODE_MODE 1.7)."""

    type = "step/open"
    mode: Mode
    sdk_sha256: Sha256 | None = None
    wire_sha256: Sha256 | None = None
    isolation: dict[str, JsonValue] | None = None


class AssistantMessage(Data):
    """What the model said."""

    type = "assistant/message"
    content: JsonValue = None
    calls: list[str] | None = Field(default=None, description="Ids of the calls it made, in order")
    meta: dict[str, JsonValue] | None = None
    sensitive = ("content",)


class UserMessage(Data):
    """A message for the model, from a person or from a call's contexts."""

    type = "user/message"
    content: JsonValue = None
    source: str = Field(description="Who speaks: `user`, `code_mode`, a tool's name")
    meta: dict[str, JsonValue] | None = None
    sensitive = ("content", "meta")


class ApprovalAsked(Data):
    """A person was asked whether a call may run."""

    type = "approval/asked"
    approval_id: str
    call_id: str = Field(description="The call, or the sub-call")
    name: str = Field(description="The tool")
    reason: str | None = None
    arguments: JsonValue = None
    line: int | None = Field(default=None, json_schema_extra=_guest)
    sensitive = ("reason", "arguments")


class ApprovalDecided(Data):
    """The answer to an `approval/asked`."""

    type = "approval/decided"
    approval_id: str
    call_id: str
    outcome: ApprovalOutcome
    by: str | None = None
    waited_ms: Milliseconds | None = None
    remembered: bool | None = Field(default=None, description="Answered by an earlier answer")
    reason: str | None = None
    sensitive = ("reason",)


class HookInvoked(Data):
    """A policy, guard or other stage of the host began."""

    type = "hook/invoked"
    hook_id: str
    hook: str = Field(description="Its name")
    stage: str
    call_id: str | None = None


class HookResult(Data):
    """What that stage said."""

    type = "hook/result"
    hook_id: str
    hook: str
    stage: str
    outcome: str
    call_id: str | None = None
    reason: str | None = None
    duration_ms: Milliseconds | None = None
    sensitive = ("reason",)


class BatchOpen(Data):
    """The calls of one assistant message are about to start."""

    type = "batch/open"
    batch_id: str
    calls: list[str] = Field(description="Call ids, in the model's order")


class BatchSettled(Data):
    """Every call of a batch has its result."""

    type = "batch/settled"
    batch_id: str
    outcomes: dict[str, str] | None = Field(default=None, description="Outcome by call id")


class ToolCall(Data):
    """The model called a tool."""

    type = "tool/call"
    call_id: str
    name: str
    arguments: JsonValue = Field(description="The raw string as the model wrote it")
    effective_arguments: JsonValue = Field(
        default=None, description="What the body received, where that differs"
    )
    deferred_from: str | None = None
    sensitive = ("arguments", "effective_arguments")


class ToolResult(Data):
    """What the model reads of a call."""

    type = "tool/result"
    call_id: str
    content: JsonValue = None
    is_error: bool
    error_info: ErrorInfo | None = None
    decision: Decision | None = None
    meta: JsonValue = None
    stops_turn: bool | None = None
    concludes_turn: bool | None = None
    value_sha256: Sha256 | None = None
    body_sha256: Sha256 | None = Field(default=None, description="Of the body's own value")
    content_sha256: Sha256 | None = Field(default=None, description="Of the body's own rendering")
    replaced_by: str | None = None
    locator: str | None = None
    truncated: bool | None = None
    sensitive = ("content", "meta", *_REASONS)
    digests: ClassVar = {"content": ("value_sha256", "body_sha256", "content_sha256")}


class ToolDeferred(Data):
    """A call was put off; the handle takes it up later (PIPELINE 6.15)."""

    type = "tool/deferred"
    call_id: str
    handle: str
    name: str | None = None
    effective_arguments: JsonValue = None
    reason: str | None = None
    sensitive = ("effective_arguments", "reason")


class LateSettlement(Data):
    """A call that had settled as `unknown` ended after all; not a second settlement."""

    type = "tool/late-settlement"
    sub_call_id: str
    outcome: Literal["ok", "error"]
    digest: Sha256 | None = None


class ResumedFrom(Part):
    """The interrupted run that a run goes on from, and what is taken as known (AUDIT 3.4)."""

    session: str
    call_id: str
    journal_sha256: Sha256 = Field(description="Head of its chain, up to where it was used")
    restored: Count = Field(description="Nested calls whose answers came from it")
    answered: list[Count] = Field(description="Numbers of calls whose answers the host gave")
    answers_sha256: list[Sha256 | None] = Field(
        default_factory=list[Sha256 | None],
        description="Of these answers, in that order; null where redaction changed one",
    )
    repeated: list[Count] = Field(
        description="Numbers of calls made again at the host's word; they may have happened"
    )


class CodeRunStart(Data):
    """A program starts."""

    type = "tool/code-run-start"
    call_id: str
    program: JsonValue = Field(description="The source, whole")
    program_sha256: Sha256 | None = Field(default=None, description="Of the source as UTF-8")
    sdk_sha256: Sha256 | None = None
    mode: Mode | None = None
    isolation: dict[str, JsonValue]
    limits: dict[str, JsonValue]
    seed: int | None = None
    clock: float | None = None
    journal_sha256: Sha256 | None = Field(
        default=None,
        description="Head of the journal's chain before the first call: facts and input files",
    )
    resumed_from: ResumedFrom | None = None
    sensitive = ("program",)
    digests: ClassVar = {"program": ("program_sha256",)}


class CodeRun(Data):
    """A program has ended."""

    type = "tool/code-run"
    call_id: str
    outcome: Literal["ok", "error"]
    kind: str | None = Field(default=None, description="Why it failed (CODE_MODE 2.4)")
    usage: RunUsage
    journal_sha256: Sha256 | None = Field(
        default=None, description="Head of the chain of the run's journal, if there is one"
    )


class DispatchStart(Data):
    """A nested call starts; written before any policy runs."""

    type = "tool/code-dispatch-start"
    root_call_id: str
    parent_call_id: str
    sub_call_id: str
    name: str
    arguments: JsonValue = Field(description="As the program submitted them")
    effective_arguments: JsonValue = Field(
        default=None, description="What the body received, where that differs"
    )
    arguments_sha256: Sha256 | None = Field(
        default=None, description="Of the canonical form of what the body received"
    )
    line: int | None = Field(
        default=None, description="The program's line", json_schema_extra=_guest
    )
    read_only: bool | None = Field(
        default=None, description="The tool is declared to change nothing; left out if it is not"
    )
    sensitive = ("arguments", "effective_arguments")
    digests: ClassVar = {
        "arguments": ("arguments_sha256",),
        "effective_arguments": ("arguments_sha256",),
    }


class Dispatch(Data):
    """A nested call has settled."""

    type = "tool/code-dispatch"
    root_call_id: str
    parent_call_id: str
    sub_call_id: str
    name: str
    outcome: DispatchOutcome
    is_error: bool
    error: ErrorInfo | None = None
    decision: Decision | None = None
    content: JsonValue = None
    content_sha256: Sha256 | None = Field(default=None, description="Of the body's own rendering")
    replaced_by: str | None = Field(default=None, description="Layer that replaced the content")
    truncated: bool = False
    locator: str | None = Field(default=None, description="Where the whole content is kept")
    value_sha256: Sha256 | None = Field(default=None, description="Of the final value")
    body_sha256: Sha256 | None = Field(default=None, description="Of the body's own value")
    value_bytes: Count | None = None
    duration_ms: Milliseconds | None = None
    meta: JsonValue = None
    contexts: Count = Field(default=0, description="How many messages it deferred")
    concludes_turn: bool = False
    sensitive = ("content", "meta", *_REASONS)
    digests: ClassVar = {"content": ("value_sha256", "body_sha256", "content_sha256")}


class DispatchRefused(Data):
    """A nested call that never started."""

    type = "tool/code-dispatch-refused"
    root_call_id: str
    parent_call_id: str
    ordinal: Count | None = Field(default=None, description="n of its id; absent in the guest")
    name: str | None = None
    reason: Literal["invalid_arguments", "unknown_tool", "abandoned", "limit", "late"]
    detail: str | None = None
    claimed_by: Literal["host", "guest"] = "host"
    sensitive = ("detail",)


TYPES: Final[dict[str, type[Data]]] = {
    model.type: model
    for model in (
        SessionOpen, SessionClose, TurnOpen, TurnClose, StepOpen, AssistantMessage, UserMessage,
        ApprovalAsked, ApprovalDecided, HookInvoked, HookResult, BatchOpen, BatchSettled,
        ToolCall, ToolResult, ToolDeferred, LateSettlement, CodeRunStart, CodeRun, DispatchStart,
        Dispatch, DispatchRefused, Checkpoint, Repaired,
    )
}  # fmt: skip

#: Namespaces of the engine: a tool's own events live in any other.
RESERVED: Final = frozenset(name.partition("/")[0] for name in TYPES)
