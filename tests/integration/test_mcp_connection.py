"""A connection to an MCP server, for a host that raises while it is open."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest

from codemode import ToolRuntime
from codemode.runtime.hosts.mcp import McpServer, McpServerError, mcp_tools

pytestmark = pytest.mark.anyio

SERVER = '''
from mcp.server import MCPServer

server = MCPServer("shelf")

@server.tool()
def shelf(title: str) -> str:
    """Where a book stands."""
    return "F7"

server.run()
'''


@pytest.fixture
def server(tmp_path: Path) -> McpServer:
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return McpServer(target=f"{sys.executable} {path}")


async def test_what_is_raised_while_it_is_open_is_caught_by_its_kind(server: McpServer) -> None:
    error = LookupError("of the host's own")
    with pytest.raises(LookupError) as caught:
        async with mcp_tools(server):
            raise error
    assert caught.value is error


async def test_a_second_server_that_cannot_be_started_is_an_error_as_of_the_first(
    server: McpServer,
) -> None:
    with pytest.raises(McpServerError, match="the command was not found"):
        async with mcp_tools(server), mcp_tools(McpServer(target="no-such-command")):
            pass


async def test_more_than_that_stays_a_group(server: McpServer) -> None:
    async def fail(error: Exception) -> None:
        raise error

    async def fail_twice() -> None:
        async with mcp_tools(server), anyio.create_task_group() as tasks:
            tasks.start_soon(fail, LookupError())
            tasks.start_soon(fail, ValueError())

    with pytest.raises(ExceptionGroup) as caught:
        await fail_twice()
    assert {type(error) for error in caught.value.exceptions} == {LookupError, ValueError}


async def test_a_group_of_the_hosts_own_stays_one(server: McpServer) -> None:
    group = ExceptionGroup("of the host's own", [LookupError()])
    with pytest.raises(ExceptionGroup, match="of the host's own") as caught:
        async with mcp_tools(server):
            raise group
    assert caught.value is group


async def test_leaving_by_cancellation_is_no_error(server: McpServer) -> None:
    with anyio.CancelScope() as scope:
        async with mcp_tools(server):
            scope.cancel()
            await anyio.sleep_forever()
    assert scope.cancelled_caught


#: Speaks the protocol by itself: the SDK's server would not let itself be so wrong.
ODD = """
import json, os, sys

def answer(message):
    match message["method"]:
        case "initialize":
            version = message["params"]["protocolVersion"]
            about = {"name": "odd", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
        case "tools/list":
            takes = {"type": "object"}
            gives = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
            names = ("die", "", "give", "die")
            tools = [{"name": name, "inputSchema": takes} for name in names]
            tools[2]["outputSchema"] = gives
            return {"tools": tools}
        case "tools/call" if message["params"]["name"] == "die":
            print("dying words", file=sys.stderr)
            os._exit(1)
        case "tools/call":
            return {"content": [], "structuredContent": {"x": "text"}}

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and (result := answer(message)) is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.fixture
def odd(tmp_path: Path) -> McpServer:
    path = tmp_path / "odd.py"
    path.write_text(ODD)
    return McpServer(target=f"{sys.executable} {path}")


@pytest.mark.spec("PIPELINE 1.4")
async def test_a_bad_tool_is_left_out_with_a_warning_and_costs_no_other(
    odd: McpServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with mcp_tools(odd) as tools:
        assert [tool.name for tool in tools] == ["die", "give"]
    said = [record.getMessage() for record in caplog.records if record.name == "codemode.mcp"]
    assert "a tool without a name is left out" in said[0]
    assert "a second tool 'die' is left out" in said[1]


@pytest.mark.spec("PIPELINE 6.7")
async def test_what_a_server_s_own_schema_refuses_is_bad_output(odd: McpServer) -> None:
    async with mcp_tools(odd) as tools, ToolRuntime(tools) as runtime:
        result = await runtime.execute("give", {})
    assert result.code == "INVALID_TOOL_OUTPUT"
    assert result.text.endswith("'text' is not of type 'integer'"), "one line of it"


async def test_a_call_that_a_server_s_end_cut_short_has_an_unknown_outcome(
    odd: McpServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with mcp_tools(odd) as tools, ToolRuntime(tools) as runtime:
        cut_short = await runtime.execute("die", {})
        later = await runtime.execute("give", {})
    assert cut_short.code == "UNKNOWN_OUTCOME"
    assert "whether the call took effect is not known" in cut_short.text
    # What a server writes is for the host, and no model's.
    assert "dying words" not in cut_short.text + later.text
    assert "dying words" in caplog.text
    assert later.code == "TOOL_ERROR"
    assert "the call was not sent" in later.text
