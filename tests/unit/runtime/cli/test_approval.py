from __future__ import annotations

import io
import os
import pty
import sys
from collections.abc import Iterator

import anyio
import anyio.lowlevel
import pytest
from typing_extensions import override

from codemode.runtime.approval import ApprovalRequest, RememberingChannel
from codemode.runtime.cli.approval import TerminalChannel

pytestmark = pytest.mark.anyio

PROGRAM = "x = 1\ntools.pay(amount=5)  # \x1b[31m\n"


class Terminal(io.StringIO):
    """Shows questions, and has a line typed at each as soon as it is shown whole."""

    def __init__(self, keyboard: int, typed: list[bytes]) -> None:
        super().__init__()
        self._keyboard = keyboard
        self._typed = typed

    @override
    def isatty(self) -> bool:
        return True

    @override
    def flush(self) -> None:
        if self._typed and self.getvalue().endswith("in this run: "):
            os.write(self._keyboard, self._typed.pop(0))


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


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The other end of the terminal that stdin is."""
    master, slave = pty.openpty()
    with open(slave, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield master
    os.close(master)


def at_terminal(monkeypatch: pytest.MonkeyPatch, keyboard: int, *typed: bytes) -> Terminal:
    """Type at a terminal, a line for each question; gives what it shows."""
    shown = Terminal(keyboard, list(typed))
    monkeypatch.setattr(sys, "stderr", shown)
    return shown


@pytest.mark.spec("PIPELINE 7.1", "PIPELINE 7.5")
@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (b"y\n", "allowed"),
        (b"YES\n", "allowed"),
        (b"n\n", "rejected"),
        (b"\n", "rejected"),
        (b"\xff\n", "rejected"),
        (b"\x04", "cancelled"),
    ],
)
async def test_the_operator_s_answer_is_taken(
    monkeypatch: pytest.MonkeyPatch, keyboard: int, typed: bytes, answer: str
) -> None:
    at_terminal(monkeypatch, keyboard, typed)
    outcome = await TerminalChannel(PROGRAM).ask(request())
    assert outcome.answer.startswith(answer)
    assert outcome.by == "terminal"


@pytest.mark.spec("PIPELINE 7.2")
async def test_the_question_shows_the_line_and_the_arguments_and_no_control_character(
    monkeypatch: pytest.MonkeyPatch, keyboard: int
) -> None:
    terminal = at_terminal(monkeypatch, keyboard, b"n\n")
    await TerminalChannel(PROGRAM).ask(request())
    text = terminal.getvalue()
    assert "line 2, as the program says: tools.pay(amount=5)" in text
    assert '"amount": 5' in text
    assert "\x1b" not in text
    assert "\x07" not in text


@pytest.mark.spec("PIPELINE 7.6")
async def test_always_is_remembered_for_one_tool_of_one_run(
    monkeypatch: pytest.MonkeyPatch, keyboard: int
) -> None:
    at_terminal(monkeypatch, keyboard, b"a\n", b"n\n", b"n\n")
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


@pytest.mark.spec("PIPELINE 7.1")
async def test_what_was_typed_before_the_question_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, keyboard: int
) -> None:
    at_terminal(monkeypatch, keyboard, b"n\n")
    os.write(keyboard, b"y\n")
    assert (await TerminalChannel(PROGRAM).ask(request())).answer == "rejected"


@pytest.mark.spec("PIPELINE 7.1")
async def test_a_question_that_is_withdrawn_takes_no_later_answer(
    monkeypatch: pytest.MonkeyPatch, keyboard: int
) -> None:
    channel = TerminalChannel(PROGRAM)
    shown = at_terminal(monkeypatch, keyboard)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(channel.ask, request())
            while "in this run" not in shown.getvalue():
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        at_terminal(monkeypatch, keyboard, b"y\n")
        assert (await channel.ask(request())).answer == "allowed"
