"""Asking a person: outcomes, redaction, logging, and the ways in which it fails closed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from pipeline_harness import Harness

from codemode.runtime.approval import ApprovalOutcome, ApprovalRequest, MemoryApprovalChannel
from codemode.runtime.execution import RunContext
from codemode.runtime.log.errors import LogUnavailableError
from codemode.runtime.policy import Ask

pytestmark = pytest.mark.anyio


async def echo(arguments: Any, run: RunContext) -> Any:
    return dict(arguments)


@pytest.fixture
def asking(harness: Harness) -> Harness:
    harness.add("pay", echo, effects={"external"})
    harness.registry.root.add("pre", lambda execution: Ask("money leaves", rule="payments"))
    return harness


@pytest.mark.spec("PIPELINE 7.1", "PIPELINE 7.3", "PIPELINE 7.5", "PIPELINE 6.22")
async def test_an_allowed_call_runs_and_says_who_allowed_it(asking: Harness) -> None:
    channel = MemoryApprovalChannel(lambda request: "allowed", by="terminal:ada")
    async with asking.open(approval=channel):
        result = await asking.call("pay", {"amount": 5})
    assert result.value == {"amount": 5}
    assert result.decision.layer == "approval"
    assert result.decision.rule == "payments"
    assert result.decision.approval is not None
    assert result.decision.approval.by == "terminal:ada"
    assert asking.kinds()[-2:] == ["approval/asked", "approval/decided"]
    asked, decided = asking.events[-2][1], asking.events[-1][1]
    assert asked["approval_id"] == decided["approval_id"]
    assert (asked["reason"], asked["arguments"]) == ("money leaves", {"amount": 5})
    assert (decided["outcome"], decided["by"]) == ("allowed", "terminal:ada")


@pytest.mark.spec("PIPELINE 7.1")
@pytest.mark.parametrize(
    ("answer", "code", "says"),
    [
        ("rejected", "APPROVAL_REJECTED", "a person rejected"),
        ("cancelled", "APPROVAL_CANCELLED", "cancelled"),
        ("unavailable", "APPROVAL_UNAVAILABLE", "nobody to ask"),
        ("maybe", "APPROVAL_UNAVAILABLE", "nobody to ask"),
        (None, "APPROVAL_UNAVAILABLE", "nobody to ask"),
    ],
)
async def test_every_other_answer_denies_with_a_reason_of_its_own(
    asking: Harness, answer: Any, code: str, says: str
) -> None:
    async with asking.open(approval=MemoryApprovalChannel(lambda request: answer)):
        result = await asking.call("pay")
    assert result.code == code
    assert says in result.text
    assert result.decision.outcome == "deny"


@pytest.mark.spec("PIPELINE 7.1", "PIPELINE 11.2", "CODE_MODE 7.1")
@pytest.mark.parametrize("has_channel", [False, True])
async def test_without_a_channel_or_an_owner_nobody_is_asked_and_it_is_denied(
    asking: Harness, has_channel: bool
) -> None:
    channel = MemoryApprovalChannel(lambda request: "allowed")
    async with asking.open(approval=channel if has_channel else None):
        options: dict[str, Any] = {"owner": None} if has_channel else {}
        result = await asking.call("pay", **options)
    assert result.code == "APPROVAL_UNAVAILABLE"
    assert channel.asked == []


async def test_a_channel_that_answers_another_type_is_a_missing_channel(asking: Harness) -> None:
    class Wrong:
        async def ask(self, request: ApprovalRequest) -> Any:
            return True

    async with asking.open(approval=Wrong()):
        assert (await asking.call("pay")).code == "APPROVAL_UNAVAILABLE"


@pytest.mark.spec("PIPELINE 6.3", "PIPELINE 7.1")
async def test_a_channel_that_throws_fails_the_call_and_the_decision_is_logged(
    asking: Harness,
) -> None:
    class Broken:
        async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
            raise OSError("the terminal is gone")

    async with asking.open(approval=Broken()):
        result = await asking.call("pay")
    assert result.code == "PIPELINE_FAILURE"
    assert asking.events[-1][1]["outcome"] == "unavailable"


@pytest.mark.spec("CODE_MODE 6.11")
async def test_a_question_that_cannot_be_logged_is_not_asked(asking: Harness) -> None:
    def record(kind: str, data: Any) -> None:
        if kind == "approval/asked":
            raise LogUnavailableError("disk full")

    channel = MemoryApprovalChannel(lambda request: "allowed")
    async with asking.open(approval=channel):
        result = await asking.call("pay", owner=replace(asking.owner, record=record))
    assert result.code == "LOG_UNAVAILABLE"
    assert channel.asked == []


@pytest.mark.spec("PIPELINE 7.2")
async def test_the_request_carries_redacted_arguments_and_the_programs_line(
    asking: Harness,
) -> None:
    async def outer(arguments: Any, run: RunContext) -> Any:
        result = await asking.call("pay", {"card": "4111"}, parent=run.token, line=12)
        return result.value

    asking.add("outer", outer)
    channel = MemoryApprovalChannel(lambda request: "allowed")
    async with asking.open(approval=channel, redact=lambda name, arguments: {"card": "***"}):
        result = await asking.call("outer")
    assert result.value == {"card": "4111"}
    request = channel.asked[-1]
    assert request.arguments == {"card": "***"}
    assert (request.is_nested, request.line, request.run_id) == (True, 12, "run")
    assert request.effects == {"external"}
    assert "4111" not in repr(asking.events)


@pytest.mark.spec("PIPELINE 7.2")
async def test_a_redaction_that_throws_withholds_the_arguments(asking: Harness) -> None:
    def redact(name: str, arguments: Any) -> Any:
        raise RuntimeError("no")

    channel = MemoryApprovalChannel(lambda request: "allowed")
    async with asking.open(approval=channel, redact=redact):
        await asking.call("pay", {"card": "4111"})
    assert "4111" not in repr(channel.asked)
    assert "withheld" in channel.asked[0].arguments


@pytest.mark.spec("PIPELINE 7.4")
async def test_the_owners_hold_is_entered_while_a_person_is_asked(asking: Harness) -> None:
    order: list[str] = []

    @contextmanager
    def hold() -> Generator[None]:
        order.append("held")
        yield
        order.append("released")

    def answer(request: ApprovalRequest) -> Any:
        order.append("asked")
        asking.clock.advance(61)
        return "allowed"

    async with asking.open(approval=MemoryApprovalChannel(answer)):
        result = await asking.call("pay", owner=replace(asking.owner, hold=hold))
    assert order == ["held", "asked", "released"]
    assert result.decision.approval is not None
    assert result.decision.approval.waited_ms == 61_000


@pytest.mark.spec("PIPELINE 7.1")
async def test_an_approved_call_still_meets_the_guards(asking: Harness) -> None:
    asking.registry.root.add("guard", lambda execution: "never")
    async with asking.open(approval=MemoryApprovalChannel(lambda request: "allowed")):
        result = await asking.call("pay")
    assert result.code == "DENIED"
    assert result.decision.layer == "guard"
