"""The person behind an MCP client is asked, in both ways that the protocol knows; or nobody is."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from logged import data_of
from mcp import Client, MCPError
from mcp.types import (
    CallToolResult,
    ElicitRequestParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
)

from codemode import ToolRuntime, tool
from codemode.runtime.approval import ApprovalRequest, RememberingChannel
from codemode.runtime.execution import Execution
from codemode.runtime.hosts import round_trips
from codemode.runtime.hosts.asking import ClientChannel, outcome_of, question
from codemode.runtime.hosts.gateway import mcp_server
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.policy import Ask
from codemode.sandbox.errors import ToolCallError
from codemode.sandbox.memory import MemorySandbox, Stage
from codemode.sandbox.values import Json

pytestmark = [pytest.mark.anyio, pytest.mark.spec("PIPELINE 7.1")]

YES = ElicitResult(action="accept", content={"answer": "yes"})
ALWAYS = ElicitResult(action="accept", content={"answer": "always"})
NO = ElicitResult(action="accept", content={"answer": "no", "reason": "too dear"})


@tool
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


async def pays(stage: Stage) -> Json:
    """Pay three times, and say what became of it."""
    for amount in range(3):
        try:
            said = str(await stage.call("tools.pay", amount=amount))
        except ToolCallError as error:
            said = error.code
        await stage.print(f"{said}\n")
    return None


def ask_before_paying(execution: Execution) -> Ask | None:
    return Ask("it costs\x1b money") if execution.name == "pay" else None


class User:
    """The person at the client, with answers in store."""

    def __init__(self, *answers: ElicitResult) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        return self.answers.pop(0)


@asynccontextmanager
async def served(
    user: User | None, era: str, log: MemoryStore | None = None, **options: Any
) -> AsyncGenerator[Client]:
    runtime = ToolRuntime(
        [pay],
        mode="both",
        sandbox=MemorySandbox({"\npays": pays, "pays": pays}),
        policies=[ask_before_paying],
        approval=RememberingChannel(ClientChannel()),
        log=log,
    )
    async with runtime:
        with anyio.fail_after(10):
            server = mcp_server(runtime)
            async with Client(server, mode=era, elicitation_callback=user, **options) as client:
                yield client


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_each_answer_does_what_it_says(era: str, checked_store: MemoryStore) -> None:
    user = User(NO, ElicitResult(action="decline"), ElicitResult(action="cancel"))
    async with served(user, era, checked_store) as client:
        result = await client.call_tool("run_code", {"code": "pays"})
    assert text_of(result) == "APPROVAL_REJECTED\nAPPROVAL_REJECTED\nAPPROVAL_CANCELLED"
    assert [str(data["by"]) for data in data_of(checked_store, "approval/decided")] == [
        "client:mcp"
    ] * 3
    assert user.asked[0] == 'it costs\\x1b money\npay {\n  "amount": 0\n}'


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_always_holds_for_the_run_and_no_longer(era: str) -> None:
    user = User(YES, ALWAYS, NO)
    async with served(user, era) as client:
        result = await client.call_tool("run_code", {"code": "pays"})
        assert text_of(result) == "paid 0\npaid 1\npaid 2"
        assert len(user.asked) == 2
        direct = await client.call_tool("pay", {"amount": 9})
        assert direct.is_error
        assert "too dear" in text_of(direct)


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_a_client_that_cannot_ask_is_a_no(era: str) -> None:
    async with served(None, era) as client:
        result = await client.call_tool("run_code", {"code": "pays"})
    assert text_of(result) == "\n".join(["APPROVAL_UNAVAILABLE"] * 3)


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_two_clients_of_one_runtime_are_asked_about_their_own_calls(era: str) -> None:
    first, second = User(YES, YES, YES), User(NO, NO, NO)
    runtime = ToolRuntime(
        [pay],
        mode="both",
        sandbox=MemorySandbox({"pays": pays}),
        policies=[ask_before_paying],
        approval=ClientChannel(),
    )
    said: dict[str, str] = {}

    async def use(name: str, user: User) -> None:
        async with Client(mcp_server(runtime), mode=era, elicitation_callback=user) as client:
            said[name] = text_of(await client.call_tool("run_code", {"code": "pays"}))

    with anyio.fail_after(10):
        async with runtime, anyio.create_task_group() as tasks:
            tasks.start_soon(use, "first", first)
            tasks.start_soon(use, "second", second)
    assert said["first"] == "paid 0\npaid 1\npaid 2"
    assert said["second"] == "\n".join(["APPROVAL_REJECTED"] * 3)


async def test_what_comes_back_without_its_question_is_refused() -> None:
    async with served(User(), "auto") as client:
        with pytest.raises(MCPError, match="does not wait for an answer any more"):
            await client.session.call_tool("pay", {"amount": 1}, request_state="forged")


async def test_a_state_is_good_for_its_own_call_and_once() -> None:
    async with served(User(), "auto") as client:
        asked = await client.session.call_tool("pay", {"amount": 1}, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        state = asked.request_state
        with pytest.raises(MCPError, match="the state is that of another call"):
            await client.session.call_tool("pay", {"amount": 1_000_000}, request_state=state)
        with pytest.raises(MCPError, match="does not wait"):
            await client.session.call_tool("pay", {"amount": 1}, request_state=state)


async def test_a_client_that_never_comes_back_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, checked_store: MemoryStore
) -> None:
    monkeypatch.setattr(round_trips, "PATIENCE_S", 0.0)
    async with served(User(), "auto", checked_store) as client:
        await client.session.call_tool("pay", {"amount": 1}, allow_input_required=True)
        while not data_of(checked_store, "tool/result"):
            await anyio.lowlevel.checkpoint()
    (result,) = data_of(checked_store, "tool/result")
    assert result["error_info"]["code"] == "ABORTED_BEFORE_DISPATCH"


def a_request(**changes: Any) -> ApprovalRequest:
    given: dict[str, Any] = {
        "call_id": "c",
        "root_call_id": "c",
        "tool_name": "pay",
        "reason": "it costs money",
        "arguments": {"amount": 5},
        **changes,
    }
    return ApprovalRequest(**given)


def test_the_question_shows_the_line_and_no_control_characters() -> None:
    shown = question(a_request(line=2, arguments={"a": "\u202e"}), "first\n  pay(5)  # \x1b[2J\n")
    assert shown == ('it costs money\nline 2: pay(5)  # \\x1b[2J\npay {\n  "a": "\\u202e"\n}')
    assert "line" not in question(a_request(line=9), "first\n")
    assert "characters more" in question(a_request(arguments={"a": "x" * 9_000}), "")


@pytest.mark.parametrize(
    "content", [None, {}, {"answer": "perhaps"}, {"answer": True}, {"answer": ["yes"]}]
)
def test_what_fits_no_form_is_no_answer(content: Any) -> None:
    outcome = outcome_of(ElicitResult(action="accept", content=content), "client:x")
    assert (outcome.answer, outcome.by) == ("unavailable", "client:x")
