from __future__ import annotations

from typing import Any

import pytest
from logged import data_of

from codemode import ToolRuntime, tool
from codemode.runtime.errors import MisuseError
from codemode.runtime.log import read_events
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.policy import Around, BodyOutcome, CallNext
from codemode.sandbox.memory import MemorySandbox, Stage
from codemode.sandbox.values import Json

pytestmark = pytest.mark.anyio


@tool(effects={"read"})
async def double(x: int) -> int:
    """Double a number."""
    return 2 * x


async def program(stage: Stage) -> Json:
    return await stage.call("tools.double", x=21)  # type: ignore[no-any-return]


def runtime_of(mode: Any, store: MemoryStore | None = None) -> ToolRuntime:
    return ToolRuntime([double], mode=mode, log=store, sandbox=MemorySandbox({"p": program}))


@pytest.mark.spec("PIPELINE 11.3")
@pytest.mark.parametrize("arguments", ['{"x": 2}', {"x": 2}])
async def test_a_model_s_call_is_a_session_in_the_log(
    checked_store: MemoryStore, arguments: Any
) -> None:
    async with runtime_of("both", checked_store) as runtime:
        assert (await runtime.call("double", arguments)).value == 4
    (called,) = data_of(checked_store, "tool/call")
    assert (called["name"], called["arguments"]) == ("double", '{"x": 2}')
    (step,) = data_of(checked_store, "step/open")
    assert step["mode"] == "both"


async def test_a_model_s_call_of_run_code_runs_a_program(checked_store: MemoryStore) -> None:
    async with runtime_of("code", checked_store) as runtime:
        assert (await runtime.call("run_code", {"code": "p"})).text == "42"
    assert [each["name"] for each in data_of(checked_store, "tool/code-dispatch")] == ["double"]


@pytest.mark.spec("CODE_MODE 3.3", "PIPELINE 14.3")
async def test_a_wrapper_cannot_run_a_program_twice_under_one_call_id(
    checked_store: MemoryStore,
) -> None:
    async def twice(around: Around, call_next: CallNext) -> BodyOutcome:
        await call_next()
        return await call_next()

    async with runtime_of("code", checked_store) as runtime:
        runtime.registry.root.add("wrapper", twice)
        result = await runtime.run_code("p")
    assert result.code == "PIPELINE_FAILURE"
    assert result.text.endswith("The run came to: 42")
    assert len(data_of(checked_store, "tool/code-run-start")) == 1
    assert len(data_of(checked_store, "tool/code-dispatch")) == 1


@pytest.mark.spec("CODE_MODE 1.5")
@pytest.mark.parametrize(
    ("mode", "name", "arguments", "code"),
    [
        ("code", "double", {"x": 1}, "UNKNOWN_TOOL"),
        ("native", "run_code", {"code": "p"}, "UNKNOWN_TOOL"),
        ("both", "double", "{not json", "INVALID_ARGS"),
        ("both", "run_code", "[]", "INVALID_ARGS"),
        ("both", "double", {"x": float("nan")}, "INVALID_ARGS"),
    ],
)
async def test_what_a_model_may_not_call_or_misspells_is_a_result(
    mode: str, name: str, arguments: Any, code: str
) -> None:
    async with runtime_of(mode) as runtime:
        result = await runtime.call(name, arguments)
        assert (result.is_error, result.code) == (True, code)


@pytest.mark.spec("PIPELINE 2.3", "PIPELINE 6.19")
async def test_half_an_emoji_is_a_bad_argument_or_an_unknown_tool_with_a_log_too(
    checked_store: MemoryStore,
) -> None:
    async with runtime_of("both", checked_store) as runtime:
        results = [
            await runtime.run_code("print('\ud83d')"),
            await runtime.call("double", {"x": "\ud83d"}),
            await runtime.call("double", '{"x": "\ud83d"}'),
            await runtime.call("double\ud83d", "{}"),
            await runtime.call("double", {"x": 2}),
        ]
    codes = [result.code for result in results]
    assert codes == ["INVALID_ARGS", "INVALID_ARGS", "INVALID_ARGS", "UNKNOWN_TOOL", None]
    called = [
        event.data
        for session in checked_store.sessions()
        for event in read_events(checked_store, session)
        if event.type == "tool/call"
    ]
    assert called[2]["arguments"] == r'{"x": "\ud83d"}', "as JSON writes it"
    assert called[3]["name"] == r"double\ud83d"


async def test_a_name_that_is_no_text_is_misuse() -> None:
    async with runtime_of("native") as runtime:
        for make in (runtime.execute, runtime.call):
            with pytest.raises(MisuseError, match="the name of a tool must be text, not int"):
                await make(5, {})  # type: ignore[arg-type]
