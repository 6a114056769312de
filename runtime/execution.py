"""One call as its stages see it: the request, its identity, and what a body may do besides return.

`Execution` is frozen: policies, guards and observers can look and nothing else. `Token` is compared
by identity and made by the pipeline alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn

from typing_extensions import override

from codemode.runtime.cancellation import CancelSignal
from codemode.runtime.content import as_content
from codemode.runtime.failures import encodable, type_name
from codemode.runtime.log.errors import LogError, LogUnavailableError
from codemode.runtime.result import ContextMessage
from codemode.sandbox.values import Json, snapshot

if TYPE_CHECKING:
    from codemode.runtime.definition import Tool
    from codemode.runtime.scope import Scope

Mode = Literal["native", "code", "both"]


class Token:
    """The opaque identity of one call. It has no content: to hold it is all there is."""

    __slots__ = ("__weakref__",)

    @override
    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError("a token cannot be copied or serialised")

    @override
    def __repr__(self) -> str:
        return "<Token>"


async def _durable() -> None:
    """The flush of an owner whose record is durable at once."""


def _always() -> bool:
    return True


#: Takes one event of a call: its type and its JSON object. Synchronous; a throw fails the call.
Record = Callable[[str, dict[str, Json]], None]


def _translated(what: str, error: Exception) -> LogUnavailableError:
    return LogUnavailableError(f"{what} failed: {type_name(error)}")


class _Told:
    """An owner's `record`, whose every failure is a `LogError`: the event may be lost."""

    __slots__ = ("_record",)

    def __init__(self, record: Record) -> None:
        self._record: Final = record

    def __call__(self, kind: str, data: dict[str, Json]) -> None:
        try:
            self._record(kind, data)
        except LogError:
            raise
        except Exception as error:  # a host's own owner or redaction may raise anything
            raise _translated(f"recording {kind}", error) from error


class _Awaited:
    """An owner's `flush` or `ready`, whose every failure is a `LogError` as well."""

    __slots__ = ("_wait",)

    def __init__(self, wait: Callable[[], Awaitable[None]]) -> None:
        self._wait: Final = wait

    async def __call__(self) -> None:
        try:
            await self._wait()
        except LogError:
            raise
        except Exception as error:  # as in `_Told`
            raise _translated("waiting for the log", error) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class LateSettlement:
    """A body that ended after its call had settled as `UNKNOWN_OUTCOME`."""

    call_id: str
    outcome: Literal["ok", "error", "aborted"]
    value_sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Who made the call and answers for it: an agent loop, or the bridge of a program.

    A call without an owner is an in-process call: no events, and nobody can be asked. Whatever
    `record`, `flush` and `ready` raise comes out of them as a `LogError`, so that everything which
    meets it fails closed.

    Attributes:
        record: Takes approval/asked, approval/decided, tool/deferred, intents and owned events.
        hold: Entered while a person is asked, so that the wait is not charged to a run.
        flush: Returns when everything recorded so far is durable.
        ready: Returns when the log can take more: what slows a program down, not memory up.
        is_ready: Whether `ready` would return at once.
        on_late: Told when a body ends after its call had settled.
        run_id: The key under which an approval channel may remember an answer.
        session: The id of the session in whose log the call is; "" for none.
        show: Takes what is worth showing live and not worth keeping: its type and a JSON object.
    """

    record: Record
    hold: Callable[[], AbstractContextManager[None]] = nullcontext
    flush: Callable[[], Awaitable[None]] = _durable
    ready: Callable[[], Awaitable[None]] = _durable
    is_ready: Callable[[], bool] = _always
    on_late: Callable[[LateSettlement], None] = lambda _: None
    run_id: str = ""
    session: str = ""
    show: Record = lambda kind, data: None

    def __post_init__(self) -> None:
        if not isinstance(self.record, _Told):
            object.__setattr__(self, "record", _Told(self.record))
        for name in ("flush", "ready"):
            wait = getattr(self, name)
            if not isinstance(wait, _Awaited):
                object.__setattr__(self, name, _Awaited(wait))


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """One untrusted call.

    Attributes:
        arguments: The raw JSON text of a model, or the decoded object of a program.
        scope: Whose view applies; None is the registry's root.
        parent: The token of the running call that this one is nested in.
        root_call_id: The outermost call's id; None makes this call its own root.
        mode: The mode for the collapse of CODE_MODE 1.5; None is the scope's effective mode.
        is_host: An in-process call by the host itself, not by a model: no mode collapse, no pins.
        line: The program's line, as the guest claims it.
        deferred_from: The handle of the deferral that this call takes up.
        may_be_deferred: What a later call could not take up is denied where it would be deferred.
    """

    call_id: str
    name: str
    arguments: str | Mapping[str, Any]
    scope: Scope | None = None
    parent: Token | None = None
    root_call_id: str | None = None
    signal: CancelSignal | None = None
    mode: Mode | None = None
    is_host: bool = False
    line: int | None = None
    owner: Owner | None = None
    deferred_from: str | None = None
    may_be_deferred: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Execution:
    """What policies, guards and observers see of a call.

    Attributes:
        name: The canonical name.
        tool: None when no such tool is visible.
        arguments: The frozen object that the body receives.
        raw_arguments: As submitted.
        token: Identity; compare with `is`.
    """

    call_id: str
    root_call_id: str
    name: str
    tool: Tool | None
    arguments: Mapping[str, Json]
    raw_arguments: str | Mapping[str, Any]
    scope: Scope
    token: Token = field(repr=False)
    parent: Token | None = field(repr=False, default=None)
    signal: CancelSignal
    line: int | None = None
    owner: Owner | None = None
    deferred_from: str | None = None

    @property
    def is_nested(self) -> bool:
        """Whether a running call made this one."""
        return self.parent is not None


def _nothing() -> None:
    """Before a body was entered there is nothing to lift."""


class Effects:
    """What the bodies of one call asked for; collected by the pipeline."""

    __slots__ = ("conclude", "contexts", "meta", "stop")

    def __init__(self) -> None:
        self.contexts: list[ContextMessage] = []
        self.conclude = False
        self.stop: str | None = None
        self.meta: dict[str, Json] = {}


#: Announces an intent to the subscribers in force; returns when all allow it.
Announce = Callable[[Execution, str, dict[str, Json]], Awaitable[None]]


class RunContext:
    """What a body may do besides returning a value; injected, never part of a schema.

    Attributes:
        signal: Fires when the caller or a wrapper wants the body to end.
    """

    __slots__ = ("_announce", "_effects", "execution", "release", "signal")

    def __init__(
        self, execution: Execution, signal: CancelSignal, effects: Effects, announce: Announce
    ) -> None:
        self.execution = execution
        self.signal = signal
        self._effects = effects
        self._announce = announce
        #: Lifts what cancels the body when `signal` fires; set by the pipeline.
        self.release: Callable[[], None] = _nothing

    def ends_itself(self) -> None:
        """Ask not to be cancelled when `signal` fires: the body watches it, and ends in time.

        One that does not is left at the drain deadline, with an unknown outcome.
        """
        self.release()

    @property
    def call_id(self) -> str:
        """This call's id."""
        return self.execution.call_id

    @property
    def root_call_id(self) -> str:
        """The outermost call's id."""
        return self.execution.root_call_id

    @property
    def token(self) -> Token:
        """What a nested call passes as its `parent`."""
        return self.execution.token

    def defer_context(
        self,
        message: object,
        *,
        source: str | None = None,
        meta: Mapping[str, Json] | None = None,
    ) -> None:
        """Add a user message to this call's result; it survives a failure of the body.

        Args:
            message: A `ContextMessage`, text, a block, or a list of them.
            source: Who says it; the tool's name by default.
        """
        self._effects.contexts.append(
            context_message(message, source=source or self.execution.name, meta=meta)
        )

    def conclude_turn(self) -> None:
        """Mark a success of this call as the end of the turn."""
        self._effects.conclude = True

    def stop_turn(self, reason: str) -> None:
        """End the turn whatever this call comes to; no later policy can clear it."""
        if not isinstance(reason, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- untyped hosts
            raise TypeError(f"the reason of a stop is text, not {type(reason).__name__}")
        if self._effects.stop is None:
            self._effects.stop = encodable(reason)

    def annotate(self, name: str, value: Json) -> None:
        """Note a fact about this call in the result's meta, under `codemode`; failures keep it.

        Raises:
            InvalidValueError: It is not lossless JSON.
        """
        note: Any = snapshot({name: value})
        self._effects.meta.update(note)

    def progress(
        self, message: str, *, done: float | None = None, total: float | None = None
    ) -> None:
        """Tell who watches live how far this call is; it is kept nowhere.

        Args:
            done: How much is done, in units of the tool's own.
            total: How much there is to do, in the same units.
        """
        if self.execution.owner is not None:
            self.execution.owner.show(
                "live/progress",
                {"call_id": self.call_id, "message": message, "done": done, "total": total},
            )

    def emit(self, event_type: str, data: Mapping[str, Any]) -> None:
        """Append a session event of the tool's own, such as `fs/observed`.

        Without an owner there is no session: the event is checked and dropped.

        Raises:
            InvalidValueError: `data` is not lossless JSON.
            ValueError: The type has no namespace, or one that the runtime itself uses.
        """
        check_event_type(event_type)
        body: Any = snapshot(dict(data))
        if self.execution.owner is not None:
            self.execution.owner.record(
                event_type, {"call_id": self.call_id, "name": self.execution.name, "data": body}
            )

    async def intent(self, event_type: str, data: Mapping[str, Any]) -> None:
        """Announce a side effect before it happens.

        Raises:
            IntentDeniedError: A subscriber denied it; let it pass and it is the tool's failure.
        """
        check_event_type(event_type)
        body: Any = snapshot(dict(data))
        await self._announce(self.execution, event_type, body)


def context_message(
    message: object, *, source: str, meta: Mapping[str, Json] | None = None
) -> ContextMessage:
    """A context from what an author gave: a finished one, text, a block, or a list of them.

    Raises:
        TypeError: The content is none of these.
        ValueError: A text has lone surrogates, or the meta is not lossless JSON.
    """
    if isinstance(message, ContextMessage):
        return context_message(message.content, source=message.source, meta=message.meta)
    frozen: Any = snapshot(dict(meta or {}))
    return ContextMessage(content=as_content(message), source=encodable(source), meta=frozen)


RESERVED_NAMESPACES: Final = frozenset(
    {
        "session",
        "turn",
        "step",
        "assistant",
        "user",
        "approval",
        "hook",
        "batch",
        "tool",
        "tools",
        "log",
    }
)


def check_event_type(event_type: str) -> None:
    """Refuse a type without a namespace or within one of the runtime's own.

    Raises:
        ValueError: See above.
    """
    namespace, slash, name = event_type.partition("/")
    if not (namespace and slash and name):
        raise ValueError(
            f"event type {event_type!r} must be <namespace>/<name>, such as fs/observed"
        )
    if namespace in RESERVED_NAMESPACES:
        raise ValueError(f"the namespace {namespace!r} belongs to the runtime; use one of your own")
