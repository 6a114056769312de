"""The contract of `ApprovalChannel`: what the pipeline may rely on, whoever answers.

A host adds its own channel to `CHANNELS`; a test drives each with the same questions.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from codemode.runtime.approval import (
    ANSWERS,
    ApprovalChannel,
    ApprovalOutcome,
    ApprovalRequest,
    MemoryApprovalChannel,
    RememberingChannel,
)

pytestmark = pytest.mark.anyio

CHANNELS: dict[str, Callable[[], ApprovalChannel]] = {
    "memory, yes": lambda: MemoryApprovalChannel(lambda request: "allowed"),
    "memory, no": lambda: MemoryApprovalChannel(lambda request: "rejected"),
    "remembering": lambda: RememberingChannel(MemoryApprovalChannel(lambda request: "allowed")),
}


def question(tool: str = "pay", *, run_id: str = "run", call_id: str = "c") -> ApprovalRequest:
    return ApprovalRequest(
        call_id=call_id,
        root_call_id="root",
        tool_name=tool,
        reason="money leaves",
        arguments={"amount": 1},
        run_id=run_id,
    )


@pytest.fixture(params=CHANNELS)
def channel(request: pytest.FixtureRequest) -> ApprovalChannel:
    return CHANNELS[request.param]()


@pytest.mark.spec("PIPELINE 7.1", "PIPELINE 7.5")
async def test_an_answer_is_of_the_vocabulary_and_names_who_gave_it(
    channel: ApprovalChannel,
) -> None:
    outcome = await channel.ask(question())
    assert isinstance(outcome, ApprovalOutcome)
    assert outcome.answer in ANSWERS
    assert outcome.by


@pytest.mark.spec("PIPELINE 7.6")
async def test_without_a_run_nothing_is_remembered(channel: ApprovalChannel) -> None:
    for _ in range(2):
        assert not (await channel.ask(question(run_id=""))).remembered


@pytest.mark.spec("PIPELINE 7.6")
async def test_an_answer_for_always_holds_for_that_run_and_pattern_only() -> None:
    asked: list[str] = []

    def answer(request: ApprovalRequest) -> str:
        asked.append(request.tool_name)
        return "allowed"

    inner = MemoryApprovalChannel(answer, by="ada", remember=True)  # type: ignore[arg-type]
    channel = RememberingChannel(inner)
    first = await channel.ask(question())
    again = await channel.ask(question(call_id="d"))
    assert (first.remembered, again.remembered, again.by) == (False, True, "ada")
    await channel.ask(question("other"))
    await channel.ask(question(run_id="another"))
    assert asked == ["pay", "other", "pay"]
    channel.forget("run")
    assert not (await channel.ask(question())).remembered


@pytest.mark.spec("PIPELINE 7.6")
async def test_a_no_is_never_remembered() -> None:
    channel = RememberingChannel(MemoryApprovalChannel(lambda request: "rejected", remember=True))
    await channel.ask(question())
    assert not (await channel.ask(question())).remembered


@pytest.mark.spec("PIPELINE 7.6")
async def test_the_grants_of_the_oldest_of_a_thousand_runs_are_given_up() -> None:
    inner = MemoryApprovalChannel(lambda request: "allowed", remember=True)
    channel = RememberingChannel(inner)
    for number in range(1_001):
        await channel.ask(question(run_id=f"run {number}"))
    assert (await channel.ask(question(run_id="run 1000"))).remembered
    assert (await channel.ask(question(run_id="run 1"))).remembered
    assert not (await channel.ask(question(run_id="run 0"))).remembered
