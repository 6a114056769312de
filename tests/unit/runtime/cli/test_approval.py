from __future__ import annotations

import io
import sys

import pytest
from typing_extensions import override

from codemode.runtime.approval import ApprovalRequest, RememberingChannel
from codemode.runtime.cli.approval import TerminalChannel

pytestmark = pytest.mark.anyio

PROGRAM = "x = 1\ntools.pay(amount=5)  # \x1b[31m\n"


class Terminal(io.StringIO):
    @override
    def isatty(self) -> bool:
        return True


def request(name: str = "pay", run_id: str = "run") -> ApprovalRequest:
    return ApprovalRequest(
        call_id="c",
        root_call_id="r",
        tool_name=name,
        reason="it costs \x1b[2J money",
        arguments={"amount": 5, "note": "\x1b]0;title\x07"},
        line=2,
        run_id=run_id,
    )


def at_terminal(monkeypatch: pytest.MonkeyPatch, typed: str) -> Terminal:
    """Type at a terminal; gives what it shows."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    return shown


@pytest.mark.spec("PIPELINE 7.1", "PIPELINE 7.5")
@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("y\n", "allowed"),
        ("YES\n", "allowed"),
        ("n\n", "rejected"),
        ("\n", "rejected"),
        ("", "cancelled"),
    ],
)
async def test_the_operator_s_answer_is_taken(
    monkeypatch: pytest.MonkeyPatch, typed: str, answer: str
) -> None:
    at_terminal(monkeypatch, typed)
    outcome = await TerminalChannel(PROGRAM).ask(request())
    assert outcome.answer.startswith(answer)
    assert outcome.by == "terminal"


@pytest.mark.spec("PIPELINE 7.2")
async def test_the_question_shows_the_line_and_the_arguments_and_no_control_character(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = at_terminal(monkeypatch, "n\n")
    await TerminalChannel(PROGRAM).ask(request())
    text = terminal.getvalue()
    assert "line 2: tools.pay(amount=5)" in text
    assert '"amount": 5' in text
    assert "\x1b" not in text
    assert "\x07" not in text


@pytest.mark.spec("PIPELINE 7.6")
async def test_always_is_remembered_for_one_tool_of_one_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_terminal(monkeypatch, "a\nn\nn\n")
    channel = RememberingChannel(TerminalChannel(PROGRAM))
    assert not (await channel.ask(request())).remembered
    second = await channel.ask(request())
    assert second.remembered
    assert second.answer.startswith("allowed")
    assert (await channel.ask(request("refund"))).answer == "rejected"
    assert (await channel.ask(request(run_id="another"))).answer == "rejected"


@pytest.mark.spec("PIPELINE 7.1")
async def test_without_a_terminal_nobody_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert (await TerminalChannel(PROGRAM).ask(request())).answer == "unavailable"
