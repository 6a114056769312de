"""The types of events that tools and jobs may record as their own (PIPELINE 15)."""

from __future__ import annotations

from typing import Final

#: The runtime's own.
_RESERVED: Final = frozenset(
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
    if namespace in _RESERVED:
        raise ValueError(f"the namespace {namespace!r} belongs to the runtime; use one of your own")
