"""Cards for people: what a call and its result look like, live and in replay alike.

A presenter is a pure function of the arguments and of durable fields, so that the same log gives
the same cards. Whatever a presenter cannot read gives no card, never an exception.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from codemode.runtime.arguments import ArgumentsError, read_arguments
from codemode.runtime.definition import Tool
from codemode.sandbox.values import Json, snapshot

CALL_CARDS: Final[frozenset[str]] = frozenset({"generic", "terminal", "diff"})
RESULT_CARDS: Final[frozenset[str]] = CALL_CARDS | {"search", "read", "web"}

Card = Mapping[str, Json]


def call_card(tool: Tool, arguments: object) -> Card | None:
    """The card of a call.

    Args:
        arguments: As they stand in the log: the raw text, or the object.
    """
    try:
        read = read_arguments(arguments)
    except ArgumentsError:
        return None
    if tool.present_call is None:
        return _frozen({"card": "generic", "title": tool.name, "input": read}, CALL_CARDS)
    present = tool.present_call
    return _presented(lambda: present(read), CALL_CARDS)


def result_card(tool: Tool, arguments: object, durable: Mapping[str, Any]) -> Card | None:
    """The card of a result.

    Args:
        durable: The fields of `tool/result`: content, is_error, error_info, meta.
    """
    try:
        read = read_arguments(arguments)
        fields: Any = snapshot(dict(durable))
    except (ArgumentsError, ValueError, TypeError):
        return None
    if tool.present_result is None:
        card = {
            "card": "generic",
            "title": tool.name,
            "content": fields.get("content"),
            "is_error": fields.get("is_error", False),
        }
        return _frozen(card, RESULT_CARDS)
    present = tool.present_result
    return _presented(lambda: present(read, fields), RESULT_CARDS)


def _presented(present: Any, allowed: frozenset[str]) -> Card | None:
    try:
        return _frozen(present(), allowed)
    except Exception:  # noqa: BLE001 - the tool's own presenter is called here
        return None


def _frozen(card: Any, allowed: frozenset[str]) -> Card | None:
    """The card as frozen JSON; None when it is none, or of a kind that nobody can show."""
    try:
        frozen: Any = snapshot(_as_dict(card)) if isinstance(card, Mapping) else None
    except ValueError:
        return None
    return frozen if frozen is not None and frozen.get("card") in allowed else None


def _as_dict(card: Any) -> dict[str, Any]:
    return dict(card)
