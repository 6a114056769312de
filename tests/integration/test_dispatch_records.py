"""What the log says of nested calls, fact by fact, and the limits that hold between them."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import anyio
import pytest
from logged import data_of

from codemode import Limits, ToolRuntime, tool
from codemode.runtime.approval import ApprovalOutcome, ApprovalRequest
from codemode.runtime.content import Image, Text
from codemode.runtime.definition import Output, Tool
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.policy import Ask, BodyOutcome
from codemode.sandbox.memory import MemorySandbox, Script, Stage

pytestmark = pytest.mark.anyio


def playing(script: Script) -> MemorySandbox:
    return MemorySandbox({"go": script})


@pytest.mark.spec("CODE_MODE 6.3")
async def test_the_digest_of_a_start_is_of_what_the_body_received(
    checked_store: MemoryStore,
) -> None:
    def renamed(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"path": arguments.pop("file_path", None) or arguments["path"]}

    seen: list[Any] = []

    async def look(arguments: Any, run: RunContext) -> None:
        seen.append(arguments)

    async def script(stage: Stage) -> None:
        await stage.call("tools.look", file_path="a")
        await stage.call("tools.look", path="a")

    legacy = Tool.raw("look", "Look.", {"type": "object"}, look, normalize_arguments=renamed)
    async with ToolRuntime(
        [legacy], mode="code", log=checked_store, sandbox=playing(script)
    ) as runtime:
        await runtime.run_code("go")
    old, new = data_of(checked_store, "tool/code-dispatch-start")
    assert (dict(old["arguments"]), dict(old["effective_arguments"])) == (
        {"file_path": "a"},
        {"path": "a"},
    )
    assert "effective_arguments" not in new
    assert old["arguments_sha256"] == new["arguments_sha256"] == sha256_of(seen[0])


@pytest.mark.spec("CODE_MODE 6.4")
async def test_a_settlement_counts_the_contexts_and_times_the_call(
    checked_store: MemoryStore,
) -> None:
    @tool(effects={"read"})
    async def note(n: int, run: RunContext) -> int:
        """Leave as many notes."""
        for _ in range(n):
            run.defer_context("a note")
        await anyio.sleep(0.002)
        return n

    async def script(stage: Stage) -> None:
        for n in range(3):
            await stage.call("tools.note", n=n)

    async with ToolRuntime(
        [note], mode="code", log=checked_store, sandbox=playing(script)
    ) as runtime:
        await runtime.run_code("go")
    settled = data_of(checked_store, "tool/code-dispatch")
    assert [one["contexts"] for one in settled] == [0, 1, 2]
    assert all(one["duration_ms"] >= 2 for one in settled)
    assert all(one["value_sha256"] == sha256_of(n) for n, one in enumerate(settled))


@pytest.mark.spec("CODE_MODE 3.8", "CODE_MODE 4.3")
async def test_images_beyond_the_budget_are_left_out_and_counted() -> None:
    pixel = Image.of(b"\x89PNG", "image/png")

    @tool(effects={"read"}, output=Output(render=lambda arguments, value: [pixel, pixel, pixel]))
    async def charts() -> int:
        """Three charts."""
        return 3

    async def script(stage: Stage) -> None:
        for _ in range(4):
            await stage.call("tools.charts")

    async with ToolRuntime([charts], mode="code", sandbox=playing(script)) as runtime:
        (context,) = (await runtime.run_code("go")).contexts
    kinds = Counter(type(block) for block in context.content)
    assert kinds == {Text: 1, Image: 10}
    assert context.content[0] == Text("Images of the program's calls (2 left out):")


@pytest.mark.spec("PIPELINE 10.6", "CODE_MODE 3.5")
async def test_post_execute_of_nested_calls_runs_one_at_a_time_as_their_bodies_end() -> None:
    order: list[str] = []
    gates = {"a": anyio.Event(), "b": anyio.Event()}

    @tool(effects={"read"})
    async def look(who: str) -> str:
        """End when the other has begun its post-execute, or at once."""
        await gates[who].wait()
        return who

    async def post(execution: Execution, outcome: BodyOutcome) -> None:
        if execution.is_nested:
            who = str(execution.arguments["who"])
            order.append(f"{who} in")
            gates["a"].set()
            await anyio.wait_all_tasks_blocked()
            order.append(f"{who} out")

    async def script(stage: Stage) -> None:
        async with anyio.create_task_group() as tasks:
            for who in gates:
                tasks.start_soon(partial(stage.call, "tools.look", who=who))

    gates["b"].set()
    with anyio.fail_after(10):
        async with ToolRuntime(
            [look], mode="code", sandbox=playing(script), post_policies=[post]
        ) as runtime:
            assert not (await runtime.run_code("go")).is_error
    assert order == ["b in", "b out", "a in", "a out"]


@pytest.mark.spec("PIPELINE 7.4", "CODE_MODE 6.2")
async def test_time_spent_waiting_for_a_person_is_recorded_and_not_charged(
    checked_store: MemoryStore,
) -> None:
    limits = Limits(wall_s=0.5)

    class Slow:
        """A person who takes longer than the run may."""

        async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
            await anyio.sleep(limits.wall_s * 1.5)
            return ApprovalOutcome(answer="allowed", by="a person")

    @tool(effects={"write"})
    async def pay() -> str:
        """Pay."""
        return "paid"

    async def script(stage: Stage) -> None:
        await stage.call("tools.pay")

    async with ToolRuntime(
        [pay],
        mode="code",
        log=checked_store,
        limits=limits,
        sandbox=playing(script),
        approval=Slow(),
        policies=[lambda execution: Ask("sure?") if execution.is_nested else None],
    ) as runtime:
        result = await runtime.run_code("go")
    assert not result.is_error, result.text
    (ended,) = data_of(checked_store, "tool/code-run")
    assert ended["usage"]["waiting_s"] >= limits.wall_s * 1.5


@pytest.mark.spec("PIPELINE 6.14")
async def test_each_failure_says_whether_its_body_had_begun_in_the_result_and_in_the_log(
    checked_store: MemoryStore,
) -> None:
    @tool(effects={"read"})
    async def fail(n: int) -> None:
        """Fail."""
        raise ValueError("no luck")

    @tool(effects={"write"})
    async def forbidden() -> None:
        """Never allowed."""

    async def script(stage: Stage) -> None:
        for name, arguments in (("fail", {"n": 1}), ("forbidden", {})):
            try:
                await stage.call(f"tools.{name}", **arguments)
            except Exception as error:  # noqa: BLE001 - whatever it is, the program goes on
                await stage.print(type(error).__name__)

    async with ToolRuntime(
        [fail, forbidden],
        mode="both",
        log=checked_store,
        sandbox=playing(script),
        guards=[lambda execution: "never" if execution.name == "forbidden" else None],
    ) as runtime:
        invalid = await runtime.execute("fail", {})
        failed = await runtime.execute("fail", {"n": 1})
        await runtime.run_code("go")
    assert [
        (info.code, info.layer, info.body_started)
        for info in (invalid.error_info, failed.error_info)
        if info is not None
    ] == [("INVALID_ARGS", "arguments", False), ("TOOL_ERROR", "body", True)]
    errors = [one["error"] for one in data_of(checked_store, "tool/code-dispatch")]
    assert [(e["name"], e["code"], e["layer"], e["body_started"]) for e in errors] == [
        ("ValueError", "TOOL_ERROR", "body", True),
        ("Denied", "DENIED", "guard", False),
    ]
