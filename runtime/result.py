"""The result of one call: frozen, identified, and the same object for caller and observers.

Holds no behaviour of the pipeline. The table from pipeline codes to the codes that programs see is
here, because a result is the only place where a code lives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from codemode.runtime.content import Content, plain_text
from codemode.sandbox.values import Json

Layer = Literal[
    "arguments", "mode", "pre", "approval", "guard", "around", "body", "output", "post",
    "finalizer", "signal", "lookup", "scheduler", "log",
]  # fmt: skip

#: Pipeline code -> the code of `ToolCallError` in a program (PIPELINE 6.16). A stop is not here:
#: it ends the program. A code that is not here is a body's own and becomes `TOOL_ERROR`.
PROGRAM_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "TOOL_TIMEOUT": "TIMEOUT",
        "ABORTED": "ABORTED",
        "ABORTED_BEFORE_DISPATCH": "ABORTED",
        "DENIED": "DENIED",
        "TOOL_ERROR": "TOOL_ERROR",
        "PIPELINE_FAILURE": "TOOL_ERROR",
        "INVALID_ARGS": "INVALID_ARGS",
        "UNKNOWN_TOOL": "UNKNOWN_TOOL",
        "INVALID_TOOL_OUTPUT": "INVALID_TOOL_OUTPUT",
        "UNKNOWN_OUTCOME": "UNKNOWN_OUTCOME",
        "DEFERRED": "DEFERRED",
        "APPROVAL_REJECTED": "APPROVAL_REJECTED",
        "APPROVAL_CANCELLED": "APPROVAL_CANCELLED",
        "APPROVAL_UNAVAILABLE": "APPROVAL_UNAVAILABLE",
        "LIMIT": "LIMIT",
        "LOG_UNAVAILABLE": "LOG_UNAVAILABLE",
    }
)


def program_code(code: str) -> str:
    """The code that a program sees for a pipeline code."""
    return PROGRAM_CODES.get(code, "TOOL_ERROR")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorInfo:
    """Why a call failed, for machines.

    Attributes:
        name: The exception's type name, or the code in words.
        code: A pipeline code, or the body's own.
        layer: Which layer failed.
        body_started: Whether a side effect may have happened.
        kind: A finer class within the code.
    """

    name: str
    code: str
    layer: Layer
    body_started: bool
    kind: str | None = None

    def as_json(self) -> dict[str, Json]:
        """The durable form."""
        info: dict[str, Json] = {
            "name": self.name,
            "code": self.code,
            "layer": self.layer,
            "body_started": self.body_started,
        }
        if self.kind is not None:
            info["kind"] = self.kind
        return info


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRecord:
    """How a person (or a channel) answered.

    Attributes:
        by: The channel and, where known, the person.
        waited_ms: Whole milliseconds from the question to the answer.
        remembered: An earlier answer of the same run was applied.
    """

    outcome: Literal["allowed", "rejected", "cancelled", "unavailable"]
    by: str
    waited_ms: int
    remembered: bool = False

    def as_json(self) -> dict[str, Json]:
        """The durable form."""
        return {
            "outcome": self.outcome,
            "by": self.by,
            "waited_ms": self.waited_ms,
            "remembered": self.remembered,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Who decided whether the call may run (PIPELINE 6.22).

    Attributes:
        layer: `default` when no policy had an opinion.
        rule: The name of the rule, policy or guard that decided; "" for the default.
    """

    outcome: Literal["allow", "deny", "stop", "defer"] = "allow"
    layer: Literal["pre", "approval", "guard", "default"] = "default"
    rule: str = ""
    reason: str = ""
    approval: ApprovalRecord | None = None

    def as_json(self) -> dict[str, Json]:
        """The durable form."""
        decision: dict[str, Json] = {"outcome": self.outcome, "layer": self.layer}
        if self.rule:
            decision["rule"] = self.rule
        if self.reason:
            decision["reason"] = self.reason
        if self.approval is not None:
            decision["approval"] = self.approval.as_json()
        return decision


DEFAULT_DECISION: Final = Decision()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextMessage:
    """A user message that a call adds after its batch.

    Attributes:
        source: Who added it, such as a tool's or policy's name.
    """

    content: Content
    source: str
    meta: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one call came to. Deeply frozen.

    Attributes:
        tool_name: The canonical name when the tool was found, else the name as called.
        value: The final canonical value; None (and meaningless) when `is_error`.
        content: What the model reads.
        arguments: The effective arguments, the frozen object that every stage saw; None when they
            could not be read.
        arguments_changed: Normalisation or coercion made them differ from what was submitted.
        error_info: None exactly when the call succeeded.
        concludes_turn: Only ever true of a success.
        stops_turn: The reason of a stop, else None; travels with failures.
        replaced_by: The layers that replaced the content: post, finalizer, spill, redaction.
        body_value_sha256: Digest of the body's own canonical value; None without one.
        value_sha256: Digest of the final value; None without one.
        body_content_sha256: Digest of the body's own rendering, set when it was replaced.
        value_bytes: Size of the final value's canonical form; 0 without one.
        locator: Where the whole content is kept, when it was bounded.
        defer_handle: The handle of a deferral, which `resume_deferred` takes.
        deferred_from: The handle of the deferral that this call took up.
    """

    call_id: str
    root_call_id: str
    tool_name: str
    value: Json = None
    content: Content = ()
    is_error: bool = False
    error_info: ErrorInfo | None = None
    arguments: Mapping[str, Json] | None = None
    arguments_changed: bool = False
    meta: Mapping[str, Json] | None = None
    decision: Decision = DEFAULT_DECISION
    contexts: tuple[ContextMessage, ...] = ()
    concludes_turn: bool = False
    stops_turn: str | None = None
    replaced_by: tuple[str, ...] = ()
    body_value_sha256: str | None = None
    value_sha256: str | None = None
    body_content_sha256: str | None = None
    value_bytes: int = 0
    locator: str | None = None
    defer_handle: str | None = None
    deferred_from: str | None = None

    @property
    def text(self) -> str:
        """The content's text."""
        return plain_text(self.content)

    @property
    def code(self) -> str | None:
        """The pipeline code of a failure."""
        return None if self.error_info is None else self.error_info.code
