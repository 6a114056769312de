"""The agent loop over real programs: what a step records, what reaches the turn through a program."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from logged import data_of, text_of
from loop_harness import scripted

from codemode import ToolRuntime, tool
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.loop import (
    AssistantMessage,
    Message,
    ScriptedModel,
    SystemMessage,
    call,
)
from codemode.runtime.policy import Accept, Block, BodyOutcome, Stop
from codemode.sandbox.values import snapshot
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


@pytest.mark.spec("CODE_MODE 1.7")
async def test_each_step_records_mode_wire_sdk_and_isolation(checked_store: MemoryStore) -> None:
    async with ToolRuntime([double], log=checked_store) as runtime:
        scope = runtime.scope("agent")
        undo = scope.present_as("native")

        def flip(_: Sequence[Message], __: Sequence[ToolSpec]) -> AssistantMessage:
            undo()
            scope.present_as("code")
            return AssistantMessage.of("", call("double", x=1))

        model = scripted(flip, [call("run_code", code="print(tools.double(x=2))")])
        async with runtime.agent(model, scope=scope) as agent:
            turn = await agent.run("go")
        digest = runtime.sdk(scope).sha256
    # The call of the first step was made in native mode, and is judged so.
    assert [result.text for result in turn.results] == ["2", "4"]
    native, code, _ = data_of(checked_store, "step/open")
    assert (native["mode"], code["mode"]) == ("native", "code")
    assert "sdk_sha256" not in native
    assert "isolation" not in native
    assert code["sdk_sha256"] == digest
    assert code["isolation"]["level"] in ("A", "B")
    (run,) = data_of(checked_store, "tool/code-run-start")
    assert (run["mode"], run["sdk_sha256"]) == ("code", digest)
    specs = model.requests[0][1]
    assert native["wire_sha256"] == sha256_of(
        [
            {
                "name": s.name,
                "description": s.description,
                "parameters": snapshot(dict(s.parameters)),
            }
            for s in specs
        ]
    )
    assert [spec.name for spec in specs] == ["double"]
    assert [spec.name for spec in model.requests[1][1]] == ["run_code"]


@pytest.mark.spec("CODE_MODE 1.7")
async def test_a_program_written_against_older_tools_runs_and_is_told_what_changed(
    checked_store: MemoryStore,
) -> None:
    async with ToolRuntime([double, note], mode="code", log=checked_store) as runtime:
        dispose = runtime.registry.register(finish)

        def meanwhile(_: Sequence[Message], __: Sequence[ToolSpec]) -> AssistantMessage:
            dispose()

            @tool(effects={"read"})
            async def triple(x: int) -> int:
                """Triple."""
                return 3 * x

            runtime.registry.register(triple)
            return AssistantMessage.of("", call("run_code", code="print(tools.double(x=2))"))

        async with runtime.agent(scripted(meanwhile)) as agent:
            turn = await agent.run("go")
        before = data_of(checked_store, "step/open")[0]["sdk_sha256"]
        assert before != runtime.sdk().sha256
    (result,) = turn.results
    assert result.text == "4"
    assert result.meta is not None
    assert result.meta["codemode"] == {
        "bindings_changed": {"added": ["tools.triple"], "removed": ["tools.finish"], "changed": []}
    }
    assert "added: tools.triple; removed: tools.finish" in text_of(
        data_of(checked_store, "user/message")[-1]["content"]
    )


@pytest.mark.spec("CODE_MODE 1.10")
async def test_a_host_s_own_sdk_text_is_final_and_its_digest_is_recorded(
    checked_store: MemoryStore,
) -> None:
    import hashlib

    async with ToolRuntime([double], mode="code", log=checked_store) as runtime:
        default = runtime.prompt()
        scope = runtime.scope("agent")
        restore = runtime.present_sdk(lambda sdk, mode: f"{mode}: {sdk.catalog()}", scope=scope)
        model = scripted()
        async with runtime.agent(model, scope=scope) as agent:
            await agent.run("hi")
        text = runtime.prompt(scope)
        assert text.startswith("code: ")
        assert model.requests[0][0][0] == SystemMessage(text=text)
        assert runtime.prompt() == default
        restore()
        assert runtime.prompt(scope) == default
    (step,) = data_of(checked_store, "step/open")
    assert step["sdk_sha256"] == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.spec("PIPELINE 9.2", "CODE_MODE 4.2")
async def test_a_blocked_or_failed_call_concludes_nothing(checked_store: MemoryStore) -> None:
    def block(execution: Execution, outcome: BodyOutcome) -> Block | None:
        return Block(feedback="no") if execution.name == "finish" else None

    program = "tools.finish()\n1 / 0"
    async with ToolRuntime([finish], mode="both", log=checked_store) as runtime:
        plain = runtime.scope("plain")
        guarded = runtime.scope("guarded")
        guarded.add("post", block)
        async with runtime.agent(scripted([call("finish")]), scope=guarded) as agent:
            assert (await agent.run("go")).ended == "answered"
        model = scripted(
            [call("run_code", code=program)], [call("run_code", code="tools.finish()")]
        )
        async with runtime.agent(model, scope=plain) as agent:
            turn = await agent.run("go")
    assert turn.ended == "concluded"
    assert [result.is_error for result in turn.results] == [True, False]


@pytest.mark.spec("PIPELINE 9.4")
async def test_a_stop_inside_a_program_ends_the_turn_through_its_failure(
    checked_store: MemoryStore,
) -> None:
    def stop(execution: Execution) -> Stop | None:
        return Stop("not that") if execution.name == "note" else None

    def soften(execution: Execution, outcome: BodyOutcome) -> Accept:
        return Accept(content="all is well")

    async with ToolRuntime(
        [double, note], mode="code", log=checked_store, policies=[stop], post_policies=[soften]
    ) as runtime:
        model = ScriptedModel(
            [
                AssistantMessage.of(
                    "",
                    call("run_code", code="tools.note(text='x')\nprint('on')"),
                    call("run_code", code="print(1)"),
                )
            ]
        )
        async with runtime.agent(model) as agent:
            turn = await agent.run("go")
    assert (turn.ended, turn.reason) == ("stopped", "not that")
    assert turn.results[0].error_info is not None
    assert turn.results[0].error_info.kind == "stopped"
    assert turn.results[1].code == "ABORTED_BEFORE_DISPATCH"
