"""Cards: pure, the same live and in replay, and never an exception."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from codemode.runtime.definition import Tool
from codemode.runtime.presentation import call_card, result_card


def raw(**options: Any) -> Tool:
    return Tool.raw("bash", "", {"type": "object"}, lambda a, r: None, **options)


@pytest.mark.spec("PIPELINE 13.1")
def test_without_presenters_the_cards_are_generic() -> None:
    assert call_card(raw(), '{"a": 1}') == {"card": "generic", "title": "bash", "input": {"a": 1}}
    card = result_card(raw(), '{"a": 1}', {"content": [], "is_error": True})
    assert card == {"card": "generic", "title": "bash", "content": [], "is_error": True}


@pytest.mark.spec("PIPELINE 13.1")
def test_presenters_choose_among_the_known_cards() -> None:
    def present_call(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"card": "terminal", "command": arguments["command"]}

    def present_result(arguments: Mapping[str, Any], durable: Mapping[str, Any]) -> dict[str, Any]:
        return {"card": "read", "lines": len(durable["content"])}

    tool = raw(present_call=present_call, present_result=present_result)
    arguments = {"command": "ls"}
    live = call_card(tool, arguments)
    assert live == call_card(tool, '{"command": "ls"}') == {"card": "terminal", "command": "ls"}
    assert result_card(tool, arguments, {"content": ["a"]}) == {"card": "read", "lines": 1}
    with pytest.raises(TypeError):
        live["command"] = "rm"  # type: ignore[index]


UNPRESENTABLE: list[Callable[..., Any]] = [
    lambda *_: 1 / 0,
    lambda *_: None,
    lambda *_: {"card": "hologram"},
    lambda *_: {"card": "generic", "x": object()},
    lambda *_: ["card"],
]


@pytest.mark.spec("PIPELINE 13.1")
@pytest.mark.parametrize("present", UNPRESENTABLE)
def test_what_cannot_be_shown_gives_no_card(present: Any) -> None:
    tool = raw(present_call=present, present_result=present)
    assert call_card(tool, {}) is None
    assert result_card(tool, {}, {}) is None
    assert call_card(raw(), "{") is None
    assert result_card(raw(), {}, {"content": object()}) is None
