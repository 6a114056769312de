"""Deferrals that an earlier process left in the log: what was put off, and whether it has been run.

Reads and never writes. A deferral is taken up once: the call that did so names its handle, so the
log alone says whether it is still waiting. Source: spec PIPELINE 6.15.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from codemode.runtime.errors import MisuseError
from codemode.runtime.log import EventStore
from codemode.runtime.log.events import Event
from codemode.runtime.log.preview import is_preview
from codemode.sandbox.values import Json

#: The events that name a handle.
_NAMING: Final = frozenset({"tool/deferred", "tool/call"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferral:
    """A call that waits to be taken up.

    Attributes:
        arguments: What its body would have received.
    """

    name: str
    arguments: Mapping[str, Json]


def find_deferral(store: EventStore, handle: str) -> Deferral | None:
    """The deferral under `handle`, from every session of the log; None if the log has none.

    Blocks, and reads the whole log.

    Raises:
        MisuseError: It was taken up already, or the log does not have its arguments whole.
        LogError: The log cannot be read.
    """
    deferred: Event | None = None
    for event in _naming(store, handle):
        if event.data.get("deferred_from") == handle:
            raise MisuseError("no deferral is waiting under that handle: it was taken up already")
        if event.data.get("handle") == handle:
            deferred = event
    if deferred is None:
        return None
    arguments: Any = deferred.data.get("effective_arguments")
    name = deferred.data.get("name")
    if "effective_arguments" in (deferred.data.get("redacted") or ()) or is_preview(arguments):
        raise MisuseError(
            "the log does not have the arguments of that deferral whole: they were redacted or are"
            " too large; make the call anew"
        )
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise MisuseError("the log does not say which call was deferred under that handle")
    return Deferral(name=name, arguments=cast("dict[str, Json]", arguments))


def _naming(store: EventStore, handle: str) -> list[Event]:
    """The events that may be about the handle; only those are decoded."""
    needle = handle.encode()
    return [
        record.event()
        for session in store.sessions()
        for record in store.read(session)
        if record.type in _NAMING and needle in record.body
    ]
