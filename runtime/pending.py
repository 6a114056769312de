"""One call on its way through the stages: the mutable state that only the pipeline touches.

Callers read it (`execution`, `started`, `failure_code`, ...) and hand it from phase to phase.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from codemode.runtime.cancellation import CancelSource
from codemode.runtime.content import text_content
from codemode.runtime.contract import Contract
from codemode.runtime.execution import CallRequest, Effects, Execution
from codemode.runtime.failures import PREFIX, encodable, type_name
from codemode.runtime.hook_faults import HookFailedError, described
from codemode.runtime.log.errors import LogError
from codemode.runtime.policy import BodyOutcome
from codemode.runtime.result import (
    DEFAULT_DECISION,
    ContextMessage,
    Decision,
    ErrorInfo,
    Layer,
    Result,
)
from codemode.runtime.stages import EARLY_ENDS, EDGES, End, Stage
from codemode.runtime.tracing import HookTrace
from codemode.sandbox.values import Json


class PendingCall:
    """See the module.

    Attributes:
        execution: What policies see; its token is what nested calls pass as `parent`.
        arguments_changed: Normalisation or coercion changed what was submitted.
        started: The body was entered.
        is_abandoned: Begun and given up before anything ran.
        result: Set at settlement.
    """

    __slots__ = (
        "arguments_changed",
        "attempt",
        "blamed",
        "body_outcome",
        "cancellation",
        "contexts",
        "contract",
        "decision",
        "defer_handle",
        "effects",
        "ended",
        "execution",
        "is_abandoned",
        "is_apart",
        "is_body_running",
        "is_done",
        "is_thread_left",
        "is_unknown",
        "last",
        "locator",
        "made",
        "meta",
        "on_asked",
        "outcome",
        "replaced_by",
        "request",
        "result",
        "source",
        "stage",
        "stages",
        "started",
        "stop",
        "trace",
        "unsubscribe",
    )

    def __init__(self, request: CallRequest, source: CancelSource) -> None:
        self.request: Final = request
        #: Fires for every reason to end this call early: the caller's signal, or its task.
        self.source: Final = source
        self.execution: Execution
        self.trace: HookTrace
        self.contract: Contract | None = None
        self.arguments_changed = False
        self.effects: Final = Effects()
        self.contexts: list[ContextMessage] = []
        self.decision: Decision = DEFAULT_DECISION
        self.meta: dict[str, Json] = {}
        #: What the call comes to so far; None before the body or an early end.
        self.outcome: BodyOutcome | None = None
        #: The body's own canonical outcome, whatever replaced it later.
        self.body_outcome: BodyOutcome | None = None
        #: The outcomes that this call's doors made, by identity.
        self.made: list[BodyOutcome] = []
        self.stop: str | None = None
        self.defer_handle: str | None = None
        self.replaced_by: list[str] = []
        self.locator: str | None = None
        self.ended: End | None = None
        self.started = False
        self.is_body_running = False
        #: Counts entries of the body: a retry enters it again.
        self.attempt = 0
        #: What the body's last entry came to; None if it was cut off.
        self.last: BodyOutcome | None = None
        #: Around and body are over.
        self.is_done = False
        #: A thread of its body outlives it, and will report its end itself.
        self.is_thread_left = False
        self.is_unknown = False
        self.is_abandoned = False
        #: What a wrapper threw, and the wrapper's name.
        self.blamed: tuple[BaseException, str] | None = None
        self.cancellation: BaseException | None = None
        self.result: Result | None = None
        self.stage = Stage.READ
        self.stages: Final = [Stage.READ]
        self.unsubscribe: Any = None
        #: Its body is in a task of its own, and another one settles the call.
        self.is_apart = False
        #: Called when the body is asked to end, where somebody sees to its drain deadline.
        self.on_asked: Callable[[], None] | None = None

    @property
    def is_concurrency_safe(self) -> bool:
        """Whether it may overlap others: exactly True of the predicate, asked at each read."""
        return self.ended is None and is_safe(self.contract, self.execution.arguments)

    def has_ended(self) -> bool:
        """Whether an early end is known already; `settle` is still due."""
        return self.ended is not None

    @property
    def failure_code(self) -> str | None:
        """The pipeline code of the failure so far, if there is one."""
        return (
            None if self.outcome is None or self.outcome.error is None else self.outcome.error.code
        )

    def where_kept(self) -> str:
        """What a bounded text says of the whole."""
        return "the rest is lost" if self.locator is None else f"the whole is at {self.locator}"

    def enter(self, stage: Stage) -> None:
        """Move on.

        Raises:
            RuntimeError: The move is not in `EDGES`: a bug of ours.
        """
        if (self.stage, stage) not in EDGES:
            raise RuntimeError(f"{stage.name} is not legal after {self.stage.name}")
        self.stage = stage
        self.stages.append(stage)

    def end(self, end: End, code: str, message: str, *, name: str = "") -> None:
        """End early: the failure is fixed, and the table says what still runs."""
        row = EARLY_ENDS[end]
        if self.stage not in row.at:
            raise RuntimeError(f"{end.name} is not legal in {self.stage.name}")
        self.ended = end
        self.fail(code, message, row.layer, name=name)

    def fail(
        self, code: str, message: str, layer: Layer, *, name: str = "", kind: str | None = None
    ) -> None:
        """Make the outcome a failure without a value."""
        self.outcome = failure(
            code, message, layer, body_started=self.started, name=name, kind=kind
        )

    def fault(self, end: End, who: str, raised: Exception) -> None:
        """A hook threw, or answered what it may not: a final failure.

        Args:
            who: Who failed, where the error does not say it.
        """
        error: BaseException = raised
        if isinstance(raised, HookFailedError):
            who, error = raised.who, raised.error
        code = "LOG_UNAVAILABLE" if isinstance(error, LogError) else "PIPELINE_FAILURE"
        message = f"the call failed because {who} failed: {described(error)}"
        self.end(end, code, message, name=type_name(error))

    def blame(self, error: BaseException, name: str) -> None:
        """Keep which wrapper threw; those outside only pass it on."""
        if self.blamed is None or self.blamed[0] is not error:
            self.blamed = error, name

    def ends_cancelled(self) -> bool:
        """Whether the call was cancelled before its body; if so it has ended now."""
        if not self.source.signal.is_cancelled:
            return False
        self.ended = End.CANCELLED
        self.abort()
        return True

    def cancel_by_task(self, error: BaseException) -> None:
        """The calling task was cancelled: the same as the caller's signal, raised at the end."""
        self.cancellation = self.cancellation or error
        self.source.cancel("the calling task was cancelled")

    def abort(self) -> None:
        """Make the outcome that of a cancelled call; the body's own success stays known."""
        reason = self.source.signal.reason or "cancelled"
        code = "ABORTED" if self.started else "ABORTED_BEFORE_DISPATCH"
        self.fail(code, f"the call was aborted: {reason}", "signal")


def is_safe(contract: Contract | None, arguments: Any) -> bool:
    """Exactly True of a visible tool's predicate; a throw, a truthy answer or no tool is False."""
    if contract is None:
        return False
    declared = contract.tool.is_concurrency_safe
    if not callable(declared):
        return declared is True
    try:
        return declared(arguments) is True
    except Exception:  # noqa: BLE001 - the definition's own code is called here
        return False


def failure(
    code: str,
    message: str,
    layer: Layer,
    *,
    body_started: bool,
    name: str = "",
    kind: str | None = None,
) -> BodyOutcome:
    """A failure as an outcome; the model reads `Error: ` and the message."""
    message, code = encodable(message), encodable(code)
    return BodyOutcome(
        error=ErrorInfo(
            name=encodable(name) or _NAMES.get(code) or code,
            code=code,
            layer=layer,
            body_started=body_started,
            kind=None if kind is None else encodable(kind),
        ),
        message=message,
        content=text_content(PREFIX + message),
    )


#: The names of failures that are no exception's.
_NAMES: Final = {
    "INVALID_ARGS": "InvalidArguments",
    "UNKNOWN_TOOL": "UnknownTool",
    "DENIED": "Denied",
    "STOPPED": "Stopped",
    "DEFERRED": "Deferred",
    "APPROVAL_REJECTED": "ApprovalRejected",
    "APPROVAL_CANCELLED": "ApprovalCancelled",
    "APPROVAL_UNAVAILABLE": "ApprovalUnavailable",
    "ABORTED": "Aborted",
    "ABORTED_BEFORE_DISPATCH": "AbortedBeforeDispatch",
    "UNKNOWN_OUTCOME": "UnknownOutcome",
    "TOOL_TIMEOUT": "ToolTimeout",
}
