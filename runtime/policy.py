"""The vocabulary of hooks: what each layer may answer, and the types of the callables.

Every hook is a plain callable. Pre- and post-execute hooks may be sync or async; guards, observers
and finalizers are sync; wrappers are async. What a hook may not answer cannot be said here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeAlias

from typing_extensions import override

from codemode.runtime.cancellation import CancelSignal
from codemode.runtime.content import Content
from codemode.runtime.execution import Execution
from codemode.runtime.failures import encodable
from codemode.runtime.result import ContextMessage, ErrorInfo, Result
from codemode.sandbox.values import Json


class Unset:
    """The type of `UNSET`: nothing was given, which None could not say."""

    __slots__ = ()

    @override
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()


# --- pre-execute -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Allow:
    """No objection.

    Attributes:
        rule: Names the rule; "" is the policy itself.
        is_grant: A declared grant, which answers an `Ask` of another link.
    """

    rule: str = ""
    is_grant: bool = False


@dataclass(frozen=True, slots=True)
class Deny:
    """The call does not run; the model reads the reason."""

    reason: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A person decides; the reason is shown to them."""

    reason: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """Deny this call and end the turn, and the program if it is nested."""

    reason: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Defer:
    """The call does not run now; its result carries a handle to take up later."""

    reason: str
    rule: str = ""


PreDecision: TypeAlias = "Allow | Deny | Ask | Stop | Defer"

#: The strictest of a chain's answers wins (PIPELINE 6.17); a larger number is stricter.
STRICTNESS: Final[Mapping[type, int]] = {Allow: 0, Ask: 1, Defer: 2, Deny: 3, Stop: 4}

PrePolicy: TypeAlias = Callable[[Execution], "PreDecision | Awaitable[PreDecision | None] | None"]

# --- guards ------------------------------------------------------------------------------------

#: Synchronous; a reason denies, None passes.
Guard: TypeAlias = Callable[[Execution], "str | None"]

# --- around ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BodyOutcome:
    """What a body came to, as wrappers and post-execute policies see it. Frozen.

    A wrapper may return the one it got, or one from a cache: a success that this call's own doors
    did not make, also a copy of one, is validated and rendered again under the tool in force.

    Attributes:
        value: The canonical value; meaningless when `error` is set.
        error: None exactly for a success.
        message: The error's text, without the `Error: ` that the model reads.
    """

    value: Json = None
    content: Content = ()
    meta: Mapping[str, Json] | None = None
    error: ErrorInfo | None = None
    message: str = ""

    @property
    def is_error(self) -> bool:
        """Whether the body failed."""
        return self.error is not None


class Around(Protocol):
    """A wrapper's view of the call: everything readable, and `signal` to set."""

    @property
    def signal(self) -> CancelSignal:
        """What ends the body, besides the caller's own signal."""
        ...

    @signal.setter
    def signal(self, value: CancelSignal, /) -> None: ...

    @property
    def execution(self) -> Execution:
        """The frozen call."""
        ...

    def success(self, value: Any) -> BodyOutcome:
        """A success of the wrapper's own, such as a cached value; validated like a body's."""
        ...

    def failure(self, message: str, code: str = "TOOL_ERROR") -> BodyOutcome:
        """A failure of the wrapper's own, such as `TOOL_TIMEOUT`."""
        ...

    def defer_context(self, message: object, *, source: str) -> None:
        """Add a user message to the call's result, after the body's own."""
        ...


CallNext: TypeAlias = Callable[[], Awaitable[BodyOutcome]]
Wrapper: TypeAlias = Callable[[Around, CallNext], Awaitable[BodyOutcome]]

# --- post-execute ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Let the outcome pass, with at most one of value and content replaced.

    Replacing the content hides nothing from programs, which receive the value: to hide data, block
    or replace the value.
    """

    value: Any = UNSET
    content: Any = UNSET
    contexts: tuple[ContextMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Make a failure without a value; the feedback is what the model reads."""

    feedback: str
    contexts: tuple[ContextMessage, ...] = field(default=(), kw_only=True)


PostDecision: TypeAlias = "Accept | Block"
PostPolicy: TypeAlias = Callable[
    [Execution, BodyOutcome], "PostDecision | Awaitable[PostDecision | None] | None"
]

# --- observers, intents ------------------------------------------------------------------------

#: Synchronous; sees the very object that the caller gets.
Observer: TypeAlias = Callable[[Execution, Result], None]

#: Sees an intent (type, frozen data) before the side effect; a reason denies it.
IntentSubscriber: TypeAlias = Callable[
    [Execution, str, Mapping[str, Json]], "str | Awaitable[str | None] | None"
]

HookKind = Literal["pre", "guard", "wrapper", "post", "observer", "intent", "batch"]


def hook_name(hook: object) -> str:
    """The name of a hook in decisions and logs: its `name`, else the callable's own."""
    for attribute in ("name", "__name__"):
        name = getattr(hook, attribute, None)
        if isinstance(name, str) and name:
            return encodable(name)
    return type(hook).__name__
