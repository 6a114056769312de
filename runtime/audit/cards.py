"""A model's call as a card, with the calls of its program as a tree under it.

A pure function of a node of the audit tree, so a log gives the same cards as the live session. A
tool that is not at hand any more is shown by a generic card.

Source: spec PIPELINE 13.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from codemode.runtime.audit.tree import CallNode
from codemode.runtime.definition import Tool
from codemode.runtime.presentation import Card, call_card, result_card
from codemode.sandbox.values import Json

#: Finds the definition that a call was made under, by its name.
FindTool = Callable[[str], Tool | None]

_NOTHING: Final[Mapping[str, Json]] = {"type": "object"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCard:
    """What a person is shown of one call.

    Attributes:
        call: None when the arguments cannot be read, or the tool's presenter had nothing to show.
        result: None while the call is open, and as for `call`.
        outcome: Of the call, as the log has it; "open" before its end.
        line: The line of the parent's program that made it, as the guest claims it.
    """

    call_id: str
    name: str
    outcome: str
    line: int | None
    call: Card | None
    result: Card | None
    children: tuple[CallCard, ...] = ()


def card_of(node: CallNode, find_tool: FindTool) -> CallCard:
    """The card of a call and of everything below it."""
    tool = find_tool(node.name) or _stand_in(node.name)
    durable = {
        "content": node.content,
        "is_error": bool(node.error),
        "error_info": dict(node.error) or None,
    }
    return CallCard(
        call_id=node.call_id,
        name=node.name,
        outcome=node.outcome,
        line=node.line,
        call=call_card(tool, node.arguments),
        result=None if node.end_seq is None else result_card(tool, node.arguments, durable),
        children=tuple(card_of(child, find_tool) for child in node.children),
    )


def _stand_in(name: str) -> Tool:
    return Tool(name=name, description="", parameters=_NOTHING, execute=_never)


def _never(arguments: Mapping[str, Json], run: object) -> Json:
    raise RuntimeError("a card's stand-in is never called")
