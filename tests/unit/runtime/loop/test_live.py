"""The live stream: everything, in order, for whoever joins when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from logged import events, kinds
from loop_harness import OPEN, scripted

from codemode import ToolRuntime
from codemode.runtime.definition import Tool
from codemode.runtime.execution import RunContext
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.loop import AgentLoop, AssistantMessage, LiveItem, Message, call
from codemode.sdkgen import ToolSpec

pytestmark = pytest.mark.anyio


async def step(arguments: Any, run: RunContext) -> str:
    run.progress("half way", done=1, total=2)
    return "stepped"


def sync_step(arguments: Any, run: RunContext) -> str:
    """In a worker thread."""
    run.progress("from a thread")
    run.emit("own/event", {"from": "a thread"})
    return "stepped"


STEP = Tool.raw("step", "Step.", OPEN, step, effects={"read"})
SYNC = Tool.raw("sync_step", "Step.", OPEN, sync_step, effects={"read"})


async def collect(agent: AgentLoop, into: list[LiveItem]) -> None:
    into.extend([item async for item in agent.stream()])


@pytest.mark.spec("PIPELINE 11.4")
async def test_a_reader_gets_events_text_and_progress_in_order(checked_store: MemoryStore) -> None:
    items: list[LiveItem] = []
    async with ToolRuntime([STEP, SYNC], log=checked_store) as runtime:
        model = scripted(AssistantMessage.of("now I step", call("step")), [call("sync_step")])
        with anyio.fail_after(5):
            async with (
                anyio.create_task_group() as tasks,
                runtime.agent(model) as agent,
            ):
                tasks.start_soon(collect, agent, items)
                await anyio.wait_all_tasks_blocked()

                async def go() -> None:
                    await agent.run("go")

                async with anyio.create_task_group() as turn:
                    turn.start_soon(go)
    durable = [item.event for item in items if item.event is not None]
    assert durable == events(checked_store)
    live = [item.type for item in items if item.event is None]
    assert live[:3] == ["live/text", "live/text", "live/text"]
    assert live.count("live/progress") == 2
    assert live.count("live/settled") == 2
    types = [item.type for item in items]
    assert types.index("live/text") < types.index("assistant/message")
    assert types.index("live/progress") < types.index("tool/result")
    lines = [json.dumps(item.as_json()) for item in items]
    assert json.loads(lines[0])["type"] == "session/open"
    assert json.loads(lines[types.index("live/progress")])["data"]["message"] == "half way"


@pytest.mark.spec("PIPELINE 11.4")
async def test_a_reader_who_joins_late_gets_a_consistent_prefix(checked_store: MemoryStore) -> None:
    late: list[LiveItem] = []
    middle: list[LiveItem] = []
    async with ToolRuntime([STEP], log=checked_store) as runtime:

        async def join(_: Sequence[Message], __: Sequence[ToolSpec]) -> AssistantMessage:
            tasks.start_soon(collect, agent, middle)
            await anyio.wait_all_tasks_blocked()
            return AssistantMessage.of("again", call("step"))

        model = scripted(
            [call("step")], AssistantMessage.of("one"), join, AssistantMessage.of("two")
        )
        with anyio.fail_after(5):
            async with (
                anyio.create_task_group() as tasks,
                runtime.agent(model) as agent,
            ):
                await agent.run("first")
                await agent.run("second")
                tasks.start_soon(collect, agent, late)
                await anyio.wait_all_tasks_blocked()
    everything = events(checked_store)
    for items in (late, middle):
        assert [item.event for item in items if item.event is not None] == everything
    # What the events of ended steps say is not said again.
    assert not any(item.type == "live/text" for item in late)
    assert kinds(checked_store)[-1] == "session/close"


@pytest.mark.spec("PIPELINE 11.4")
async def test_a_slow_reader_misses_no_event(checked_store: MemoryStore) -> None:
    async with ToolRuntime([STEP], log=checked_store) as runtime:
        model = scripted(*[[call("step")] for _ in range(5)])
        with anyio.fail_after(5):
            async with runtime.agent(model) as agent:
                stream = agent.stream()
                first = await anext(stream)
                assert first.type == "session/open"
                await agent.run("go")
            seen = [item.event.seq async for item in stream if item.event is not None]
    assert seen == list(range(2, len(events(checked_store)) + 1))
