from __future__ import annotations

import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from logged import data_of
from mcp import Client, MCPError
from mcp.client.session import ClientSession
from mcp.shared.memory import create_client_server_memory_streams
from mcp.types import CallToolResult, ImageContent, TextContent

from codemode import ToolRuntime, tool
from codemode.runtime.attachments import MemoryAttachmentStore
from codemode.runtime.content import Image, Text
from codemode.runtime.definition import Output, Tool
from codemode.runtime.errors import MisuseError
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.hosts.gateway import mcp_server, serve, structured
from codemode.runtime.log import LogUnavailableError
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.policy import Ask
from codemode.runtime.result import Result
from codemode.sandbox.memory import MemorySandbox, Stage
from codemode.sandbox.values import Json, snapshot

pytestmark = pytest.mark.anyio

PNG = Image.of(b"\x89PNG", "image/png")


@tool(effects={"read"}, group="arithmetic")
async def double(x: int) -> int:
    """Double a number."""
    return 2 * x


@tool(effects={"read"}, group="library")
async def shelf(title: str) -> dict[str, str]:
    """Where a book stands.

    Raises:
        KeyError: Nobody knows.
    """
    return {"shelf": {"Emma": "B2"}[title]}


@tool
async def pay(amount: int) -> None:
    """Pay."""


async def prints(stage: Stage) -> Json:
    await stage.print(f"{await stage.call('tools.arithmetic.double', x=21)}\n")
    return None


async def returns(stage: Stage) -> Json:
    await stage.print("printed\n")
    return [1, {"a": None}]


async def fails(stage: Stage) -> Json:
    await stage.call("tools.library.shelf", title="Dune")
    raise AssertionError("the call failed")


async def pays(stage: Stage) -> Json:
    await stage.call("tools.pay", amount=5)
    raise AssertionError("the call was refused")


SCRIPTS = {"prints": prints, "returns": returns, "fails": fails, "pays": pays}


def runtime_of(*tools: Tool, **options: Any) -> ToolRuntime:
    """A runtime whose programs are scripts."""
    options = {"mode": "code", "sandbox": MemorySandbox(SCRIPTS), **options}
    return ToolRuntime(tools or (double, shelf), **options)


@asynccontextmanager
async def client_of(runtime: ToolRuntime, **options: Any) -> AsyncGenerator[ClientSession]:
    """A client that speaks through streams, as over a pipe; the server has ended afterwards."""
    async with (
        create_client_server_memory_streams() as (ours, theirs),
        runtime,
        anyio.create_task_group() as tasks,
    ):

        async def server() -> None:
            await serve(runtime, *theirs, **options)

        tasks.start_soon(server)
        async with ClientSession(*ours) as session:
            await session.initialize()
            yield session
        await ours[1].aclose()  # the end of its stdin: the server returns by itself


def text_of(result: object) -> str:
    """The one text of a result."""
    assert isinstance(result, CallToolResult)
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.mark.spec("CODE_MODE 1.2")
async def test_in_mode_code_a_client_gets_run_code_and_its_description_is_the_sdk() -> None:
    runtime = runtime_of()
    async with client_of(runtime) as client:
        (listed,) = (await client.list_tools()).tools
        (wired,) = runtime.wire_tools(dialect="mcp")
        assert listed.name == "run_code"
        assert listed.input_schema == wired["inputSchema"]
        assert listed.description == f"{wired['description']}\n\n{runtime.prompt()}"
        assert "double(x: int) -> int" in str(listed.description)


async def test_the_instructions_name_the_groups_and_do_not_say_the_sdk_again() -> None:
    async with runtime_of() as runtime:
        async with Client(mcp_server(runtime, name="front")) as client:
            assert client.server_info is not None
            assert client.server_info.name == "front"
            assert client.instructions == (
                "`run_code` runs one Python program that can call 2 tools (arithmetic, library):"
                " write one program instead of one call at a time. The description of `run_code`"
                " has their SDK."
            )
        async with Client(mcp_server(runtime, instructions="house rules")) as client:
            assert client.instructions == "house rules"


async def test_many_groups_are_not_all_named() -> None:
    tools = [
        Tool.raw(f"t{n}", "", {"type": "object"}, lambda arguments, run: None, group=f"g{n:02}")
        for n in range(25)
    ]
    async with runtime_of(*tools) as runtime, Client(mcp_server(runtime)) as client:
        assert client.instructions is not None
        assert "25 tools (g00, " in client.instructions
        assert "g19, ...)" in client.instructions


async def test_in_mode_both_the_tools_are_listed_and_called_too() -> None:
    async with client_of(runtime_of(mode="both")) as client:
        listed = {item.name: item for item in (await client.list_tools()).tools}
        assert list(listed) == ["double", "shelf", "run_code"]
        assert listed["double"].description == "Double a number."
        assert text_of(await client.call_tool("double", {"x": 4})) == "8"
        found = await client.call_tool("shelf", {"title": "Emma"})
        assert isinstance(found, CallToolResult)
        assert found.structured_content == {"shelf": "B2"}


async def test_a_native_runtime_is_served_without_a_word_of_programs() -> None:
    async with runtime_of(mode="native") as runtime, Client(mcp_server(runtime)) as client:
        assert [item.name for item in (await client.list_tools()).tools] == ["double", "shelf"]
        assert client.instructions is None


async def test_a_name_that_the_wire_had_to_change_is_called_by_its_listed_one() -> None:
    odd = Tool.raw("a b/c", "", {"type": "object"}, lambda arguments, run: "here")
    async with client_of(runtime_of(odd, mode="both")) as client:
        name = (await client.list_tools()).tools[0].name
        assert name == "a_b_c"
        assert text_of(await client.call_tool(name, {})) == "here"


@pytest.mark.spec("CODE_MODE 2.3")
async def test_a_program_s_calls_are_dispatched_and_logged(checked_store: MemoryStore) -> None:
    async with client_of(runtime_of(log=checked_store)) as client:
        result = await client.call_tool("run_code", {"code": "prints", "description": "a sum"})
        assert text_of(result) == "42"
        assert isinstance(result, CallToolResult)
        assert not result.is_error
        # It has said everything in its text.
        assert result.structured_content is None
    (settled,) = data_of(checked_store, "tool/code-dispatch")
    assert (settled["name"], settled["outcome"]) == ("double", "ok")


async def test_a_program_s_result_is_structured_content() -> None:
    async with client_of(runtime_of()) as client:
        result = await client.call_tool("run_code", {"code": "returns"})
        assert text_of(result) == 'printed\n[1, {"a": null}]'
        assert isinstance(result, CallToolResult)
        assert result.structured_content == {
            "logs": [{"stream": "stdout", "text": "printed\n"}],
            "result": [1, {"a": None}],
        }


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("run_code", {"cde": "x"}, "did you mean 'code'?"),
        ("run_code", {"code": "fails"}, "Tool calls of this program:\n- failed: shelf"),
        ("double", {"x": 1}, "double cannot be called directly here; call it inside run_code"),
        ("nothing", None, "there is no tool named nothing"),
    ],
)
async def test_a_failure_reads_as_it_does_for_every_other_host(
    name: str, arguments: dict[str, Any] | None, says: str
) -> None:
    runtime = runtime_of()
    async with client_of(runtime) as client:
        result = await client.call_tool(name, arguments)
        assert says in text_of(result)
        assert isinstance(result, CallToolResult)
        assert result.is_error
        assert result.structured_content is None
        assert text_of(result) == (await runtime.call(name, arguments or {})).text


def ask_before_paying(execution: Execution) -> Ask | None:
    """Money needs a person."""
    return Ask("it costs money", "money") if execution.name == "pay" else None


@pytest.mark.spec("PIPELINE 7.1")
@pytest.mark.parametrize(
    ("mode", "name", "arguments"),
    [("code", "run_code", {"code": "pays"}), ("both", "pay", {"amount": 5})],
)
async def test_where_nobody_can_be_asked_the_answer_is_no(
    mode: str, name: str, arguments: dict[str, Any]
) -> None:
    async with client_of(runtime_of(pay, mode=mode, policies=[ask_before_paying])) as client:
        result = await client.call_tool(name, arguments)
        assert "approval is needed, and there is nobody to ask" in text_of(result)


async def test_a_client_s_cancellation_cancels_the_run(checked_store: MemoryStore) -> None:
    waiting, ended = anyio.Event(), anyio.Event()

    async def wait(run: RunContext) -> None:
        waiting.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    async def waits(stage: Stage) -> Json:
        return await stage.call("tools.wait")  # type: ignore[no-any-return]

    slow = Tool.raw("wait", "", {"type": "object"}, lambda arguments, run: wait(run))
    runtime = runtime_of(slow, double, sandbox=MemorySandbox({"waits": waits}), log=checked_store)
    with anyio.fail_after(10):
        async with client_of(runtime) as client:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "run_code", {"code": "waits"})
                await waiting.wait()
                tasks.cancel_scope.cancel()
            await ended.wait()
            assert (await client.list_tools()).tools  # and the server goes on
    (result,) = data_of(checked_store, "tool/result")
    assert result["error_info"]["code"] == "ABORTED"


async def test_a_client_that_leaves_cancels_what_runs(checked_store: MemoryStore) -> None:
    waiting, ended = anyio.Event(), anyio.Event()

    async def waits(stage: Stage) -> Json:
        waiting.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()
        return None

    runtime = runtime_of(double, sandbox=MemorySandbox({"waits": waits}), log=checked_store)
    with anyio.fail_after(10):
        async with (
            create_client_server_memory_streams() as (ours, theirs),
            runtime,
            anyio.create_task_group() as tasks,
        ):

            async def client() -> None:
                async with ClientSession(*ours) as session:
                    await session.initialize()
                    with pytest.raises(MCPError, match="Connection closed"):
                        await session.call_tool("run_code", {"code": "waits"})

            async def leave() -> None:
                await waiting.wait()
                await ours[1].aclose()

            tasks.start_soon(client)
            tasks.start_soon(leave)
            await serve(runtime, *theirs)
            assert ended.is_set()
    (result,) = data_of(checked_store, "tool/result")
    assert result["error_info"]["code"] == "ABORTED"


async def test_images_and_the_messages_of_calls_reach_the_model() -> None:
    store = MemoryAttachmentStore()
    store.put(b"\x89PNG", "image/png")
    gone = Image(media_type="image/gif", sha256="0" * 64, size_bytes=1)
    kept = Image(media_type="image/png", sha256=PNG.sha256, size_bytes=4)

    def look(arguments: Any, run: RunContext) -> str:
        run.defer_context("and then", source="look")
        return "a chart"

    chart = Tool.raw(
        "look",
        "",
        {"type": "object"},
        look,
        output=Output(
            schema={}, render=lambda arguments, value: [Text(str(value)), PNG, kept, gone]
        ),
    )
    async with client_of(runtime_of(chart, mode="both", attachments=store)) as client:
        result = await client.call_tool("look", {})
    assert isinstance(result, CallToolResult)
    data = base64.b64encode(b"\x89PNG").decode()
    image = ImageContent(type="image", data=data, mime_type="image/png")
    assert result.content == [
        TextContent(type="text", text="a chart"),
        image,
        image,
        TextContent(type="text", text="[image/gif: not kept any more]"),
        TextContent(type="text", text="and then"),
    ]


def result_of(value: object, **options: Any) -> Result:
    """A success with a value."""
    options = {"tool_name": "shelf", **options}
    return Result(call_id="c", root_call_id="c", value=snapshot(value), **options)


@pytest.mark.parametrize(
    ("result", "content"),
    [
        (result_of({"a": [1]}), {"a": [1]}),
        (result_of([1]), None),
        (result_of("text"), None),
        (result_of({"a": 1}, is_error=True), None),
        (result_of({"secret": 1}, replaced_by=("post",)), None),
        (result_of({"long": 1}, replaced_by=("spill",)), None),
        (result_of({"logs": []}, tool_name="run_code"), None),
        (result_of({"logs": [], "result": None}, tool_name="run_code"), None),
        (result_of({"logs": [], "result": 0}, tool_name="run_code"), {"logs": [], "result": 0}),
    ],
)
async def test_structured_content_is_an_object_that_nothing_took_from_the_model(
    result: Result, content: object
) -> None:
    assert structured(result) == content


async def test_a_log_that_cannot_be_written_is_a_failure_that_the_model_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fails(*_: object, **__: object) -> Result:
        error = LogUnavailableError("the disk is full")
        error.add_note("Tool calls of this program:\n- ok: pay")
        raise error

    async with runtime_of() as runtime, Client(mcp_server(runtime)) as client:
        monkeypatch.setattr(runtime, "call", fails)
        result = await client.call_tool("run_code", {"code": "prints"})
        assert result.is_error
        assert text_of(result) == "the disk is full\n\nTool calls of this program:\n- ok: pay"


async def test_a_runtime_must_have_been_entered() -> None:
    with pytest.raises(MisuseError, match="enter the runtime first"):
        mcp_server(runtime_of())
