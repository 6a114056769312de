"""Who answers for a call: whom its stages tell what happens, and through whom people are asked.

Made by an agent loop for its session, by the bridge of a program for its calls, and for each of the
host's own calls that is logged.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Final, Literal

from codemode.runtime.failures import type_name
from codemode.runtime.log.errors import LogError, LogUnavailableError
from codemode.sandbox.values import Json


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
