"""Every mode against every way in, and what a change of mode does to what is on its way.

{native, code, both} x {wire list, prompt, direct native, direct run_code, nested, recursion, pinned,
unadvertised, restricted, stale history}, over an agent loop with the real sandbox.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from logged import data_of, kinds, text_of
from loop_harness import Gated, scripted

from codemode import ToolRuntime, tool
from codemode.runtime.content import plain_text
from codemode.runtime.execution import Execution, Mode, RunContext
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.loop import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    Turn,
    UserMessage,
    call,
)
from codemode.runtime.policy import PreDecision
from codemode.runtime.result import Result
from codemode.runtime.scope import Scope
from codemode.sdkgen import ToolSpec

pytestmark = pytest.mark.anyio
MODES: tuple[Mode, ...] = ("native", "code", "both")


@tool(effects={"read"})
async def plain(x: int) -> int:
    """An ordinary tool."""
    return x


@tool(effects={"read"}, pin="native")
async def by_hand(x: int) -> int:
    """Only to be called directly."""
    return x


@tool(effects={"read"}, pin="code")
async def by_program(x: int) -> int:
    """Only to be called in programs."""
    return x


@tool(effects={"read"}, advertised=False)
async def legacy(x: int) -> int:
    """Known to those who know it."""
    return x


@tool(effects={"read"})
async def masked(x: int) -> int:
    """Restricted away."""
    return x


TOOLS = (plain, by_hand, by_program, legacy, masked)
ONE = {"x": 1}


def program(text: str) -> ToolCall:
    return call("run_code", code=text)


def caught(expression: str) -> ToolCall:
    """A program that prints the value, or the name of the error."""
    return program(
        f"try:\n    print({expression})\nexcept ToolCallError as error:\n    print(error.code)\n"
        "except Exception as error:\n    print(type(error).__name__)"
    )


@dataclass(frozen=True)
class Way:
    """One way in.

    Attributes:
        made: The call that the model makes.
        expected: By mode: the result's text, or the code of its failure.
    """

    made: ToolCall
    expected: dict[Mode, str]


def only_native(text: str) -> dict[Mode, str]:
    return {"native": text, "code": "UNKNOWN_TOOL", "both": text}


def only_programs(text: str) -> dict[Mode, str]:
    return {"native": "UNKNOWN_TOOL", "code": text, "both": text}


def nobody(code: str) -> dict[Mode, str]:
    return dict.fromkeys(MODES, code)


WAYS = {
    "direct native": Way(call("plain", x=1), only_native("1")),
    "direct run_code": Way(program("print(2 + 3)"), only_programs("5")),
    "nested": Way(program("print(tools.plain(x=7))"), only_programs("7")),
    "recursion by attribute": Way(
        caught("tools.run_code(code='1')"), only_programs("AttributeError")
    ),
    "recursion by name": Way(caught("tools['run_code'](code='1')"), only_programs("KeyError")),
    "pinned native, direct": Way(call("by_hand", x=1), only_native("1")),
    "pinned native, nested": Way(caught("tools['by_hand'](x=1)"), only_programs("KeyError")),
    "pinned code, direct": Way(call("by_program", x=1), nobody("UNKNOWN_TOOL")),
    "pinned code, nested": Way(program("print(tools.by_program(x=1))"), only_programs("1")),
    "unadvertised, direct": Way(call("legacy", x=1), only_native("1")),
    "unadvertised, by attribute": Way(caught("tools.legacy(x=1)"), only_programs("AttributeError")),
    "unadvertised, by exact name": Way(program("print(tools['legacy'](x=1))"), only_programs("1")),
    "restricted, direct": Way(call("masked", x=1), nobody("UNKNOWN_TOOL")),
    "restricted, nested": Way(caught("tools['masked'](x=1)"), only_programs("KeyError")),
}


def restricted(runtime: ToolRuntime, mode: Mode) -> Scope:
    scope = runtime.scope("agent")
    scope.restrict(deny=["masked"])
    scope.present_as(mode)
    return scope


def said(result: Result) -> str:
    return result.code or result.text


@pytest.mark.spec(
    "CODE_MODE 1.2", "CODE_MODE 1.3", "CODE_MODE 1.4", "CODE_MODE 1.5", "CODE_MODE 1.6",
    "CODE_MODE 2.7", "PIPELINE 1.7",
)  # fmt: skip
@pytest.mark.parametrize("mode", MODES)
async def test_every_way_in_is_open_or_closed_as_the_mode_says(
    mode: Mode, checked_store: MemoryStore
) -> None:
    seen_by_policy: list[str] = []

    def watch(execution: Execution) -> PreDecision | None:
        seen_by_policy.append(execution.call_id)
        return None

    async with ToolRuntime(TOOLS, log=checked_store, policies=[watch]) as runtime:
        calls = [way.made for way in WAYS.values()]
        async with runtime.agent(scripted(calls), scope=restricted(runtime, mode)) as agent:
            turn = await agent.run("go")
    got = {name: said(result) for name, result in zip(WAYS, turn.results, strict=True)}
    assert got == {name: way.expected[mode] for name, way in WAYS.items()}
    collapsed = [
        result
        for result in turn.results
        if result.error_info is not None and result.error_info.layer == "mode"
    ]
    for result in collapsed:
        assert "call it inside run_code" in result.text
        assert result.call_id not in seen_by_policy
    expected_collapse = {"native": 1, "both": 1, "code": 4}
    assert len(collapsed) == expected_collapse[mode]


@pytest.mark.spec("CODE_MODE 1.2", "CODE_MODE 1.6", "CODE_MODE 1.9", "PIPELINE 4.2")
@pytest.mark.parametrize("mode", MODES)
async def test_wire_list_and_prompt_of_each_mode(mode: Mode, checked_store: MemoryStore) -> None:
    async with ToolRuntime(TOOLS, log=checked_store) as runtime:
        scope = restricted(runtime, mode)
        model = scripted()
        async with runtime.agent(model, scope=scope) as agent:
            await agent.run("go")
        ((messages, tools),) = model.requests
        wire = [spec.name for spec in tools]
        system = messages[0].text if isinstance(messages[0], SystemMessage) else ""
        assert system == runtime.prompt(scope)
    assert (
        wire
        == {
            "native": ["by_hand", "plain"],
            "code": ["run_code"],
            "both": ["by_hand", "plain", "run_code"],
        }[mode]
    )
    bound = ["tools.by_program", "tools.plain"] if mode != "native" else []
    unbound = ["by_hand", "legacy", "masked"]
    assert all(name.removeprefix("tools.") in system for name in bound)
    assert not any(name in system for name in unbound)
    assert ("only from Python programs" in system) == (mode == "code")
    (step,) = data_of(checked_store, "step/open")
    assert step["mode"] == mode
    assert ("isolation" in step) == (mode != "native")


@pytest.mark.spec("CODE_MODE 1.8", "CODE_MODE 1.5")
@pytest.mark.parametrize("before", MODES)
@pytest.mark.parametrize("after", MODES)
async def test_stale_history_is_judged_by_the_step_that_it_is_in(
    before: Mode, after: Mode, checked_store: MemoryStore
) -> None:
    """A model that goes on as in the old mode, one step after the change."""
    async with ToolRuntime(TOOLS, log=checked_store) as runtime:
        scope = runtime.scope("agent")
        undo = scope.present_as(before)

        def flip(_: Sequence[Message], __: Sequence[ToolSpec]) -> AssistantMessage:
            undo()
            scope.present_as(after)
            return AssistantMessage.of("", *habits)

        habits = [WAYS["direct native"].made, WAYS["nested"].made]
        async with runtime.agent(scripted(flip, habits), scope=scope) as agent:
            turn = await agent.run("go")
    texts = [said(result) for result in turn.results]
    in_mode = [WAYS["direct native"].expected, WAYS["nested"].expected]
    assert texts == [way[before] for way in in_mode] + [way[after] for way in in_mode]
    assert [step["mode"] for step in data_of(checked_store, "step/open")] == [before, after, after]


@pytest.mark.spec("CODE_MODE 1.8", "CODE_MODE 3.1")
@pytest.mark.parametrize("after", ["native", "both"])
async def test_a_flip_in_the_middle_of_a_program_leaves_its_grant(
    after: Mode, checked_store: MemoryStore
) -> None:
    async with ToolRuntime(log=checked_store) as runtime:
        scope = runtime.scope("agent")
        undo = scope.present_as("code")

        @tool
        async def flip() -> str:
            """Change the mode while the program runs."""
            undo()
            scope.present_as(after)
            return after

        for each in (plain, flip):
            runtime.registry.register(each)
        model = scripted(
            [program("tools.flip()\nprint(tools.plain(x=3))"), program("print(tools.plain(x=4))")],
            [program("print(tools.plain(x=5))")],
        )
        async with runtime.agent(model, scope=scope) as agent:
            turn = await agent.run("go")
    # The rest of the batch was made in the old mode; the next step is in the new one.
    expected = ["3", "4", "UNKNOWN_TOOL" if after == "native" else "5"]
    assert [said(result) for result in turn.results] == expected
    assert [run["mode"] for run in data_of(checked_store, "tool/code-run-start")][:2] == [
        "code"
    ] * 2


@pytest.mark.spec("CODE_MODE 1.8", "PIPELINE 4.5")
async def test_a_flip_in_the_middle_of_a_batch_holds_from_the_next_step(
    checked_store: MemoryStore,
) -> None:
    async with ToolRuntime(log=checked_store) as runtime:
        scope = runtime.scope("agent")
        undo = scope.present_as("both")

        @tool
        async def flip() -> str:
            """Change the mode in the middle of a batch."""
            undo()
            scope.present_as("code")
            return "flipped"

        for each in (plain, flip):
            runtime.registry.register(each)
        batch = [call("plain", x=1), call("flip"), call("plain", x=2), program("print(3)")]
        async with runtime.agent(scripted(batch, [call("plain", x=4)]), scope=scope) as agent:
            turn = await agent.run("go")
    assert [said(result) for result in turn.results] == ["1", "flipped", "2", "3", "UNKNOWN_TOOL"]


@pytest.mark.spec("CODE_MODE 2.8", "PIPELINE 9.3", "CODE_MODE 4.1")
async def test_contexts_of_a_mixed_batch_follow_all_its_results_native_ones_included(
    checked_store: MemoryStore,
) -> None:
    @tool(effects={"read"})
    async def note(text: str, run: RunContext) -> str:
        """Leave a note."""
        run.defer_context(text)
        if text == "last":
            run.conclude_turn()
        return text

    async with ToolRuntime([note], mode="both", log=checked_store) as runtime:
        model = scripted(
            [
                call("note", text="a"),
                program("tools.note(text='b')\ntools.note(text='last')"),
                call("note", text="c"),
            ]
        )
        async with runtime.agent(model) as agent:
            turn = await agent.run("go")
    assert turn.ended == "concluded"
    order = kinds(checked_store)
    messages = [i for i, kind in enumerate(order) if kind == "user/message"][1:]
    assert min(messages) > max(i for i, kind in enumerate(order) if kind == "tool/result")
    texts = [text_of(m["content"]) for m in data_of(checked_store, "user/message")][1:]
    assert texts == ["a", "b", "last", "c"]
    read = [plain_text(m.content) for m in agent.messages if isinstance(m, UserMessage)]
    assert read[1:] == texts


@pytest.mark.spec("CODE_MODE 2.8")
@pytest.mark.parametrize("host_allows", [True, False])
@pytest.mark.parametrize("all_safe", [True, False])
async def test_programs_overlap_only_when_all_tools_are_safe_and_the_host_allows_it(
    *, host_allows: bool, all_safe: bool, checked_store: MemoryStore
) -> None:
    gated = Gated()
    other = Gated("other", is_concurrency_safe=all_safe)
    async with ToolRuntime([gated.tool, other.tool], mode="code", log=checked_store) as runtime:
        programs = [program(f"print(tools.gated(who='{who}'))") for who in "ab"]
        overlap = host_allows and all_safe
        turns: list[Turn] = []

        async def release() -> None:
            await gated.wait_begun(2 if overlap else 1)
            gated.open("a", "b")

        async with runtime.agent(scripted(programs), parallel_programs=host_allows) as agent:
            with anyio.fail_after(10):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(release)
                    turns.append(await agent.run("go"))
    assert [said(result) for result in turns[0].results] == ["a", "b"]
    starts = kinds(checked_store, of="tool/code-run")
    assert (starts[:2] == ["tool/code-run-start"] * 2) == overlap


@pytest.mark.spec("CODE_MODE 1.1", "CODE_MODE 1.8")
async def test_a_change_of_mode_is_undone_by_its_disposer(checked_store: MemoryStore) -> None:
    async with ToolRuntime([plain], log=checked_store) as runtime:
        scope = runtime.scope("agent")

        def switch(_: Any, __: Any) -> AssistantMessage:
            restore.append(scope.present_as("code"))
            return AssistantMessage.of("", call("plain", x=1))

        def back(_: Any, __: Any) -> AssistantMessage:
            restore.pop()()
            return AssistantMessage.of("", program("print(1)"))

        restore: list[Any] = []
        async with runtime.agent(scripted(switch, back), scope=scope) as agent:
            await agent.run("go")
    assert [step["mode"] for step in data_of(checked_store, "step/open")] == [
        "native",
        "code",
        "native",
    ]
