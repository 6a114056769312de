"""One call as its stages see it: the request, its identity, and what a body may do besides return.

`Execution` is frozen: policies, guards and observers can look and nothing else. `Token` is compared
by identity and made by the pipeline alone.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from typing_extensions import override

from codemode.runtime.cancellation import CancelSignal
from codemode.runtime.contexts import context_message
from codemode.runtime.event_types import check_event_type
from codemode.runtime.failures import encodable
from codemode.runtime.owner import Owner
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


def new_call_id() -> str:
    """A fresh id for a call that no model named."""
    return f"call_{secrets.token_hex(8)}"


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
