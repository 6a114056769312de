"""A connection to an MCP server, for a host that raises while it is open."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest

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
