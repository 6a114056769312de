"""Turns and steps: what is recorded, what the model reads, and how a turn ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from logged import data_of, events, kinds, text_of
from loop_harness import OPEN, Gated, scripted
from typing_extensions import override

from codemode import ToolRuntime, tool
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.content import Text
from codemode.runtime.definition import Tool
from codemode.runtime.errors import MisuseError, ToolError
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.loop import (
    AssistantMessage,
    Message,
    ScriptedModel,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    call,
)
from codemode.runtime.policy import Deny, Stop
from codemode.sandbox.errors import SandboxUnavailableError
from codemode.sandbox.memory import MemorySandbox
from codemode.sdkgen import ToolSpec

pytestmark = pytest.mark.anyio


@tool(effects={"read"})
async def double(x: int) -> int:
    """Double a number."""
    return 2 * x


@tool(effects={"read"})
async def note(text: str, run: RunContext) -> str:
    """Leave a note for the model."""
    run.defer_context(f"note: {text}", meta={"n": 1})
    return text


@tool
async def finish(run: RunContext) -> str:
    """Conclude the turn."""
    run.conclude_turn()
    return "finished"


@pytest.mark.spec("PIPELINE 11.1", "CODE_MODE 6.10")
async def test_a_turn_is_logged_from_its_message_to_its_answer(checked_store: MemoryStore) -> None:
    model = scripted(AssistantMessage.of("I will double it", call("double", call_id="c1", x=4)))
    async with (
        ToolRuntime([double], log=checked_store) as runtime,
        runtime.agent(model, instructions="Be brief.") as agent,
    ):
        turn = await agent.run("double 4")
    assert (turn.ended, turn.text, turn.steps, turn.number) == ("answered", "done", 2, 1)
    assert [result.value for result in turn.results] == [8]
    assert kinds(checked_store) == [
        "session/open",
        "turn/open",
        "user/message",
        "step/open",
        "assistant/message",
        "batch/open",
        "tool/call",
        "tool/result",
        "batch/settled",
        "step/open",
        "assistant/message",
        "turn/close",
        "session/close",
    ]
    (made,) = data_of(checked_store, "tool/call")
    assert dict(made) == {"call_id": "c1", "name": "double", "arguments": '{"x":4}'}
    system, user, said, read = model.requests[1][0]
    assert system == SystemMessage(text="Be brief.")
    assert isinstance(user, UserMessage)
    assert isinstance(said, AssistantMessage)
    assert isinstance(read, ToolMessage)
    assert (read.call_id, read.text, read.is_error) == ("c1", "8", False)


@pytest.mark.spec("PIPELINE 11.1")
async def test_the_log_holds_the_raw_text_and_the_effective_arguments_where_they_differ(
    checked_store: MemoryStore,
) -> None:
    def renamed(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"path": arguments.pop("file_path", None) or arguments["path"]}

    async def look(arguments: Any, run: RunContext) -> str:
        return str(arguments["path"])

    legacy = Tool.raw("look", "Look.", OPEN, look, normalize_arguments=renamed)
    raw = '{"file_path":  "a"}'
    model = scripted(
        [ToolCall(name="look", arguments=raw), ToolCall(name="look", arguments='{"path": "b"}')]
    )
    async with (
        ToolRuntime([legacy], log=checked_store) as runtime,
        runtime.agent(model) as agent,
    ):
        await agent.run("look")
    first, second = data_of(checked_store, "tool/call")
    assert (first["arguments"], dict(first["effective_arguments"])) == (raw, {"path": "a"})
    assert "effective_arguments" not in second


@pytest.mark.spec("CODE_MODE 1.8")
async def test_a_late_run_code_in_a_native_scope_says_that_the_mode_changed(
    checked_store: MemoryStore,
) -> None:
    async with ToolRuntime([double], log=checked_store) as runtime:
        model = scripted([call("run_code", code="print(1)")])
        async with runtime.agent(model) as agent:
            turn = await agent.run("go")
    (result,) = turn.results
    assert result.code == "UNKNOWN_TOOL"
    assert "the mode is native, or has changed" in result.text


@pytest.mark.spec("PIPELINE 9.3", "PIPELINE 10.3")
async def test_contexts_follow_the_batch_in_order_with_their_own_source(
    checked_store: MemoryStore,
) -> None:
    async with ToolRuntime([double, note], log=checked_store) as runtime:
        model = scripted([call("note", text="a"), call("double", x=1), call("note", text="b")])
        async with runtime.agent(model) as agent:
            await agent.run("go")
    order = kinds(checked_store)
    settled = order.index("batch/settled")
    assert order[settled - 1] == "tool/result"
    assert order[settled : settled + 4] == [
        "batch/settled",
        "user/message",
        "user/message",
        "step/open",
    ]
    _, a, b = data_of(checked_store, "user/message")
    assert [(text_of(m["content"]), m["source"]) for m in (a, b)] == [
        ("note: a", "note"),
        ("note: b", "note"),
    ]
    assert dict(a["meta"]) == {"n": 1}
    read = model.requests[1][0]
    assert [type(message).__name__ for message in read[-5:]] == [
        "ToolMessage",
        "ToolMessage",
        "ToolMessage",
        "UserMessage",
        "UserMessage",
    ]


@pytest.mark.spec("PIPELINE 9.2", "PIPELINE 9.5")
async def test_a_conclusion_takes_effect_when_the_batch_has_settled(
    checked_store: MemoryStore,
) -> None:
    async with ToolRuntime([double, finish], log=checked_store) as runtime:
        model = ScriptedModel([AssistantMessage.of("", call("finish"), call("double", x=3))])
        async with runtime.agent(model) as agent:
            turn = await agent.run("go")
    assert turn.ended == "concluded"
    assert [result.value for result in turn.results] == ["finished", 6]
    assert data_of(checked_store, "turn/close")[0]["reason"] == "concluded"


@pytest.mark.spec("PIPELINE 9.4", "PIPELINE 9.5", "PIPELINE 10.4")
async def test_a_stop_starts_nothing_more_and_ends_the_turn(checked_store: MemoryStore) -> None:
    def stop(execution: Execution) -> Stop | None:
        return Stop("enough") if execution.name == "note" else None

    async with ToolRuntime([double, note], log=checked_store, policies=[stop]) as runtime:
        model = ScriptedModel(
            [
                AssistantMessage.of(
                    "", call("double", x=1), call("note", text="x"), call("double", x=2)
                )
            ]
        )
        async with runtime.agent(model) as agent:
            turn = await agent.run("go")
    assert (turn.ended, turn.reason) == ("stopped", "enough")
    assert [result.code for result in turn.results] == [
        None,
        "STOPPED",
        "ABORTED_BEFORE_DISPATCH",
    ]
    assert "the turn was stopped: enough" in turn.results[2].text
    assert len(data_of(checked_store, "tool/call")) == 3
    stopped = data_of(checked_store, "tool/result")[1]
    assert stopped["stops_turn"] is True
    assert data_of(checked_store, "turn/close")[0]["reason"] == "enough"


async def test_max_steps_ends_the_turn_after_its_last_calls_have_run(
    checked_store: MemoryStore,
) -> None:
    async with ToolRuntime([double], log=checked_store) as runtime:
        model = scripted(*[[call("double", x=n)] for n in range(9)])
        async with runtime.agent(model, max_steps=3) as agent:
            turn = await agent.run("go")
    assert (turn.ended, turn.steps, len(turn.results)) == ("max_steps", 3, 3)


async def test_turns_follow_one_another_and_steps_count_on(checked_store: MemoryStore) -> None:
    async with ToolRuntime([double], log=checked_store) as runtime:
        model = scripted([call("double", call_id="c", x=1)], AssistantMessage.of("first"))
        async with runtime.agent(model) as agent:
            await agent.run("one")
            agent.say("by the way")
            second = await agent.run("two")
            assert second.number == 2
            assert [type(message).__name__ for message in agent.messages] == [
                "UserMessage",
                "AssistantMessage",
                "ToolMessage",
                "AssistantMessage",
                "UserMessage",
                "UserMessage",
                "AssistantMessage",
            ]
    assert [event.step for event in events(checked_store) if event.type == "step/open"] == [1, 2, 3]


@pytest.mark.spec("PIPELINE 2.3", "PIPELINE 6.19")
async def test_half_an_emoji_of_a_model_ends_no_turn(checked_store: MemoryStore) -> None:
    async with ToolRuntime([double], log=checked_store) as runtime:
        model = scripted(
            AssistantMessage(
                content=(Text("half \ud83d"),),
                calls=(
                    ToolCall(name="double\ud83d", arguments="{}", call_id="\ud83d"),
                    ToolCall(name="double", arguments='{"x": "\ud83d"}'),
                ),
            ),
            AssistantMessage.of("the other \ude00"),
            AssistantMessage.of("still here"),
        )
        async with runtime.agent(model) as agent:
            turn = await agent.run("go")
            again = await agent.run("go on")
    assert [result.code for result in turn.results] == ["UNKNOWN_TOOL", "INVALID_ARGS"]
    assert (turn.text, again.text) == ("the other ?", "still here")
    said = model.requests[1][0][-3]
    assert isinstance(said, AssistantMessage)
    assert said.text == "half ?"
    assert said.calls[0].name == r"double\ud83d"


async def test_ids_that_a_model_repeats_or_leaves_out_are_replaced(
    checked_store: MemoryStore,
) -> None:
    async with ToolRuntime([double], log=checked_store) as runtime:
        model = scripted(
            [call("double", call_id="same", x=1), call("double", call_id="same", x=2)],
            [call("double", call_id="same", x=3), call("double", x=4)],
        )
        async with runtime.agent(model) as agent:
            turn = await agent.run("go")
    ids = [result.call_id for result in turn.results]
    assert ids[0] == "same"
    assert len(set(ids)) == 4
    said = model.requests[1][0][-3]
    assert isinstance(said, AssistantMessage)
    assert [made.call_id for made in said.calls] == ids[:2]


async def test_a_model_that_fails_closes_the_turn_and_the_loop_goes_on(
    checked_store: MemoryStore,
) -> None:
    def fail(_: Sequence[Message], __: Sequence[ToolSpec]) -> AssistantMessage:
        raise ConnectionError("key sk-123 was refused")

    async with (
        ToolRuntime([double], log=checked_store) as runtime,
        runtime.agent(scripted(fail)) as agent,
    ):
        with pytest.raises(ConnectionError):
            await agent.run("go")
        assert (await agent.run("again")).ended == "answered"
    assert data_of(checked_store, "turn/close")[0]["reason"] == "failed: ConnectionError"


@pytest.mark.spec("PIPELINE 10.4")
async def test_a_signal_that_fires_while_the_model_thinks_ends_the_turn(
    checked_store: MemoryStore,
) -> None:
    source = CancelSource()

    async def think(_: Sequence[Message], __: Sequence[ToolSpec]) -> AssistantMessage:
        source.cancel("the user pressed stop")
        await anyio.sleep_forever()
        raise AssertionError

    async with (
        ToolRuntime([double], log=checked_store) as runtime,
        runtime.agent(scripted(think)) as agent,
    ):
        with anyio.fail_after(5):
            turn = await agent.run("go", signal=source.signal)
    assert (turn.ended, turn.reason, turn.message) == ("cancelled", "the user pressed stop", None)
    assert source.signal.listener_count == 0


async def test_misuse_is_told(checked_store: MemoryStore) -> None:
    runtime = ToolRuntime([double], log=checked_store)
    with pytest.raises(MisuseError, match="enter the runtime"):
        runtime.agent(scripted())
    async with runtime:
        with pytest.raises(MisuseError, match="at least 1"):
            runtime.agent(scripted(), max_steps=0)
        agent = runtime.agent(scripted())
        with pytest.raises(MisuseError, match="enter the loop"):
            await agent.run("hi")


async def test_a_loop_without_a_log_keeps_its_session_in_memory() -> None:
    async with (
        ToolRuntime([double]) as runtime,
        runtime.agent(scripted([call("double", x=1)])) as agent,
    ):
        assert (await agent.run("go")).ended == "answered"


@pytest.mark.spec("PIPELINE 9.1")
async def test_contexts_of_a_failed_call_reach_the_model(checked_store: MemoryStore) -> None:
    async def fail(arguments: Any, run: RunContext) -> str:
        run.defer_context("seen before the failure")
        raise ToolError("no luck")

    async with ToolRuntime([Tool.raw("fail", "Fail.", OPEN, fail)], log=checked_store) as runtime:
        model = scripted([call("fail")])
        async with runtime.agent(model) as agent:
            turn = await agent.run("go")
    assert turn.results[0].text == "Error: no luck"
    last = model.requests[1][0][-1]
    assert isinstance(last, UserMessage)
    assert last.source == "fail"


async def test_a_denied_call_is_an_ordinary_result(checked_store: MemoryStore) -> None:
    def deny(execution: Execution) -> Deny:
        return Deny("not here", rule="house")

    gated = Gated()
    async with (
        ToolRuntime([gated.tool], log=checked_store, policies=[deny]) as runtime,
        runtime.agent(scripted([call("gated", who="a")])) as agent,
    ):
        turn = await agent.run("go")
    assert turn.results[0].text == "Error: not here"
    assert gated.begun == []
    assert data_of(checked_store, "tool/result")[0]["decision"]["rule"] == "house"


class Unavailable(MemorySandbox):
    """A sandbox whose isolation cannot be had."""

    @override
    async def start(self) -> None:
        raise SandboxUnavailableError("Landlock is missing", missing=("landlock",))


@pytest.mark.spec("CODE_MODE 1.9")
async def test_a_scope_whose_isolation_cannot_be_had_fails_at_assembly_and_says_why(
    checked_store: MemoryStore,
) -> None:
    async with ToolRuntime([double], log=checked_store, sandbox=Unavailable({})) as runtime:
        scope = runtime.scope("agent")
        model = scripted([call("double", x=1)], AssistantMessage.of("native needs none"))
        async with runtime.agent(model, scope=scope) as agent:
            assert (await agent.run("go")).text == "native needs none"
            scope.present_as("both")
            with pytest.raises(SandboxUnavailableError) as caught:
                await agent.run("go")
    assert str(caught.value) == (
        "the scope 'agent' is in mode 'both', which needs a sandbox: Landlock is missing"
    )
    assert caught.value.missing == ("landlock",)


async def test_what_is_said_during_a_turn_arrives_at_the_next_step(
    checked_store: MemoryStore,
) -> None:
    async with ToolRuntime([double], log=checked_store) as runtime:

        def interrupt(_: Sequence[Message], __: Sequence[ToolSpec]) -> AssistantMessage:
            agent.say("hurry up")
            return AssistantMessage.of("I think I am done")

        model = scripted(interrupt)
        async with runtime.agent(model) as agent:
            turn = await agent.run("go")
    assert (turn.steps, turn.text) == (2, "done")
    last = model.requests[1][0][-1]
    assert isinstance(last, UserMessage)
    assert last.source == "user"
