"""A client that asked for it is told how far its call is."""

from __future__ import annotations

import anyio
import pytest
from mcp import Client

from codemode import ToolRuntime, tool
from codemode.runtime.hosts.gateway import mcp_server
from codemode.sandbox.errors import ToolCallError
from codemode.sandbox.memory import MemorySandbox, Stage
from codemode.sandbox.values import Json

pytestmark = pytest.mark.anyio


async def looks(stage: Stage) -> Json:
    try:
        await stage.call("tools.look", name="gone")
    except ToolCallError:
        await stage.call("tools.look", name="here")
    return None


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_each_call_is_told_of_with_how_it_ended(era: str) -> None:
    told: list[tuple[float, float | None, str | None]] = []
    heard = anyio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))
        heard.set()

    @tool(effects={"read"})
    async def look(name: str) -> None:
        """Look."""
        if name == "gone":
            raise KeyError(name)
        await heard.wait()

    runtime = ToolRuntime([look], mode="code", sandbox=MemorySandbox({"looks": looks}))
    with anyio.fail_after(10):
        async with runtime:
            for _ in range(2):  # the scope is watched once, however many servers there are
                async with Client(mcp_server(runtime), mode=era) as client:
                    await client.call_tool("run_code", {"code": "looks"}, progress_callback=hear)
                    heard, first = anyio.Event(), told[0]
                    told.clear()
                    assert first == (1, None, "1 call, last look failed")
