"""`run_code` as a card with its calls below, live and from the log."""

from __future__ import annotations

from typing import Any

import pytest

from codemode import ToolRuntime, tool
from codemode.runtime.audit import build_tree
from codemode.runtime.audit.cards import CallCard, card_of
from codemode.runtime.definition import RUN_CODE
from codemode.runtime.log import read_events
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.presentation import call_card

PROGRAM = "tools.bash(command='ls')\ntry:\n    tools.broken()\nexcept ToolCallError:\n    pass\n"


def terminal(arguments: Any) -> dict[str, Any]:
    return {"card": "terminal", "command": arguments["command"]}


@tool(effects={"process"}, present_call=terminal)
async def bash(command: str) -> str:
    """Run a command."""
    return "a.txt"


@tool
async def broken() -> None:
    """Throws."""
    raise RuntimeError("down")


async def cards(description: str | None, *, known: bool = True) -> CallCard:
    """The card of a run, from its log."""
    log = MemoryStore()
    async with ToolRuntime([bash, broken], mode="code", log=log) as runtime:
        await runtime.run_code(PROGRAM, description=description)
        view = runtime.registry.root.view()
    (session,) = log.sessions()
    (call,) = build_tree(read_events(log, session)).turns[0].calls
    return card_of(call, view.get if known else lambda name: None)


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 13.2")
async def test_a_program_is_shown_under_its_label_with_its_calls_as_a_tree() -> None:
    card = await cards("list the files")
    assert card.call == {"card": "generic", "title": "list the files", "input": PROGRAM}
    assert (card.name, card.outcome) == (RUN_CODE, "ok")
    assert card.result is not None
    bash_card, broken_card = card.children
    assert bash_card.call == {"card": "terminal", "command": "ls"}
    assert (bash_card.outcome, bash_card.line, bash_card.children) == ("ok", 1, ())
    assert (broken_card.outcome, broken_card.line) == ("error", 3)
    assert broken_card.result is not None
    assert broken_card.result["is_error"] is True


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 13.2", "PIPELINE 13.1")
async def test_a_card_needs_neither_a_label_nor_the_tool() -> None:
    card = await cards(None)
    assert card.call is not None
    assert card.call["title"] == "Run a program"
    unknown = await cards("x", known=False)
    assert [child.call for child in unknown.children] == [
        {"card": "generic", "title": "bash", "input": {"command": "ls"}},
        {"card": "generic", "title": "broken", "input": {}},
    ]


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 13.1", "PIPELINE 13.2")
async def test_the_card_before_the_call_is_the_card_from_the_log() -> None:
    async with ToolRuntime([], mode="code") as runtime:
        transport = runtime.registry.root.view()[RUN_CODE]
    live = call_card(transport, {"code": PROGRAM, "description": "list the files"})
    assert live == (await cards("list the files")).call
    assert call_card(transport, {"description": "no program"}) is None
