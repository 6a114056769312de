"""`codemode gateway` as an MCP client meets it: a real process in front of a real server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import console
import processes
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import CallToolResult, ElicitResult, TextContent

import codemode as package

SERVER = '''
import anyio
from mcp.server import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("shop-mcp-server")
reads = ToolAnnotations(readOnlyHint=True)

@server.tool(annotations=reads)
def price(item: str) -> int:
    """Price of an item."""
    return {"apple": 3, "pear": 4}[item]

@server.tool(annotations=reads)
async def wait(mark: str) -> None:
    """Never answers."""
    open(mark, "w").close()
    try:
        await anyio.sleep_forever()
    finally:
        open(mark + ".ended", "w").close()

@server.tool()
def buy(item: str) -> str:
    """Buy an item."""
    return f"bought {item}"

server.run()
'''

NOISY = """
import os

print("imported")

def noise() -> str:
    '''Make some.'''
    print("called")
    os.system("echo a child")
    return "quiet"
"""

RULES = 'allow = ["buy", "effect:read"]\n'


@pytest.fixture
def anyio_backend() -> str:
    """The client is the SDK's; what is tested is on the other side of the pipe."""
    return "asyncio"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "noisy.py").write_text(NOISY)
    return tmp_path


def command(*arguments: str) -> list[str]:
    return ["-m", "codemode", "gateway", "--mcp", f"{sys.executable} server.py", *arguments]


@asynccontextmanager
async def gateway(
    folder: Path, *arguments: str, mode: str = "auto", ask: Any = None
) -> AsyncGenerator[Client]:
    """The SDK's own client, connected; the gateway has ended afterwards."""
    parameters = StdioServerParameters(
        command=sys.executable, args=command(*arguments), cwd=folder, env=console.inherited()
    )
    with (folder / "stderr").open("w") as stderr, anyio.fail_after(60):
        wire = stdio_client(parameters, errlog=stderr)
        async with Client(wire, mode=mode, elicitation_callback=ask) as client:
            yield client


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


async def until_there(path: Path) -> None:
    """Wait for a file that another process makes."""
    with anyio.fail_after(20):
        while not await anyio.Path(path).exists():  # noqa: ASYNC110 - no event crosses processes
            await anyio.sleep(0.01)


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_a_client_lists_runs_fails_and_cancels(folder: Path, era: str) -> None:
    async with gateway(folder, "--log", "log.sqlite", "--name", "front", mode=era) as client:
        assert client.server_info is not None
        assert client.server_info.name == "front"
        (listed,) = (await client.list_tools()).tools
        assert listed.name == "run_code"
        assert "price(item)" in str(listed.description)

        code = "sum(tools.shop.price(item=item).result for item in ('apple', 'pear'))"
        done = await client.call_tool("run_code", {"code": code})
        assert text_of(done) == "7"
        assert done.structured_content == {"logs": [], "result": 7}

        failed = await client.call_tool("run_code", {"code": "tools.shop.price(item='plum')"})
        assert failed.is_error
        assert "[TOOL_ERROR]" in text_of(failed)
        assert "- failed: price" in text_of(failed)
        refused = await client.call_tool("run_code", {"code": "tools.shop.buy(item='pear')"})
        assert "[APPROVAL_UNAVAILABLE]" in text_of(refused)

        mark = folder / "mark"
        async with anyio.create_task_group() as tasks:
            waits = f"tools.shop.wait(mark={str(mark)!r})"
            tasks.start_soon(client.call_tool, "run_code", {"code": waits})
            await until_there(mark)
            tasks.cancel_scope.cancel()
        await until_there(folder / "mark.ended")  # the server behind was told as well
        assert (
            text_of(await client.call_tool("run_code", {"code": "print('goes on')"})) == "goes on"
        )
    assert console.codemode(folder, "audit", "verify", "log.sqlite").returncode == 0
    shown = console.codemode(folder, "audit", "show", "log.sqlite").stdout
    assert "aborted" in shown
    assert "denied by mcp-effects" in shown


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_the_client_s_user_is_asked_before_a_tool_that_may_change_something(
    folder: Path, era: str
) -> None:
    answers = ["no", "always"]
    asked: list[str] = []

    async def ask(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"answer": answers.pop(0)})

    code = """
for item in ("pear", "apple", "plum"):
    try:
        print(tools.shop.buy(item=item).result)
    except ToolCallError as error:
        print(error.code)
"""
    async with gateway(folder, "--log", "log.sqlite", mode=era, ask=ask) as client:
        done = await client.call_tool("run_code", {"code": code})
        assert text_of(done) == "APPROVAL_REJECTED\nbought apple\nbought plum"
    assert len(asked) == 2
    assert "line 4: print(tools.shop.buy(item=item).result)" in asked[0]
    shown = console.codemode(folder, "audit", "show", "log.sqlite").stdout
    assert "approval allowed by client:mcp" in shown


@pytest.mark.anyio
@pytest.mark.parametrize(("approve", "says"), [("no", "[APPROVAL_UN"), ("all", "bought pear")])
async def test_it_can_be_said_beforehand_who_answers(folder: Path, approve: str, says: str) -> None:
    async def ask(_: Any, params: Any) -> ElicitResult:
        raise AssertionError("nobody is to be asked")

    async with gateway(folder, "--approve", approve, ask=ask) as client:
        done = await client.call_tool("run_code", {"code": "tools.shop.buy(item='pear').result"})
        assert says in text_of(done)


@pytest.mark.anyio
async def test_in_mode_both_tools_are_called_directly_and_rules_allow_what_writes(
    folder: Path,
) -> None:
    (folder / "rules.toml").write_text(RULES)
    options = ("--mode", "both", "--rules", "rules.toml", "--log", "log.jsonl", "--journal", "j")
    async with gateway(folder, *options) as client:
        names = [item.name for item in (await client.list_tools()).tools]
        assert names == ["buy", "price", "wait", "run_code"]
        direct = await client.call_tool("price", {"item": "apple"})
        assert direct.structured_content == {"result": 3}
        bought = await client.call_tool("run_code", {"code": "tools.shop.buy(item='pear').result"})
        assert text_of(bought) == "bought pear"
    assert console.codemode(folder, "audit", "verify", "log.jsonl").returncode == 0
    assert (folder / "j").exists()


@pytest.mark.anyio
async def test_two_servers_may_have_tools_of_one_name_and_a_gateway_behind_it(
    folder: Path,
) -> None:
    # A server is given no environment, so that what is found by it must be said.
    path = Path(package.__file__).parents[1]
    python = f"env PYTHONPATH={path} {sys.executable}"
    behind = f"front={python} -m codemode gateway --tools noisy:noise"
    second = f"kiosk={sys.executable} server.py"
    async with gateway(folder, "--mcp", second, "--mcp", behind, "--mode", "both") as client:
        names = [item.name for item in (await client.list_tools()).tools]
        assert {"shop__price", "kiosk__price", "front__run_code", "run_code"} <= set(names)
        code = "tools.kiosk.kiosk__price(item='pear').result"
        assert text_of(await client.call_tool("run_code", {"code": code})) == "4"
        assert text_of(await client.call_tool("kiosk__price", {"item": "pear"})) == '{"result":4}'


@pytest.mark.anyio
async def test_what_tools_print_is_not_on_the_wire(folder: Path) -> None:
    async with gateway(folder, "--tools", "noisy:noise") as client:
        done = await client.call_tool("run_code", {"code": "tools.noise()"})
        assert text_of(done) == "quiet"
    said = (folder / "stderr").read_text()
    assert "serving 4 tools" in said
    assert {"imported", "called", "a child"} <= set(said.splitlines())


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture
def busy(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A gateway with a program that loops and one that waits for a tool."""
    with subprocess.Popen(
        [sys.executable, *command("--log", "log.sqlite")],
        cwd=folder,
        env=console.inherited(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            mark = folder / "mark"
            waits = f"tools.shop.wait(mark={str(mark)!r})"
            messages: list[dict[str, Any]] = [INITIALIZE]
            for number, code in enumerate(["while True:\n    pass", waits], start=2):
                arguments = {"name": "run_code", "arguments": {"code": code}}
                messages.append(
                    {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": arguments}
                )
            process.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in messages))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == 1
            anyio.run(until_there, mark)
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("end", "status"), [("close", 0), (signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_however_it_ends_nothing_is_left_behind(
    folder: Path, busy: subprocess.Popen[bytes], end: signal.Signals | str, status: int
) -> None:
    assert busy.stdin is not None
    assert busy.stderr is not None
    assert busy.stdout is not None
    below = processes.descendants(busy.pid, with_dead=True)
    assert len(below) >= 3
    if isinstance(end, signal.Signals):
        busy.send_signal(end)
    else:
        busy.stdin.close()
    assert busy.wait(30) == status
    assert b"Traceback" not in busy.stderr.read()
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in busy.stdout)
    assert [pid for pid in below if os.path.exists(f"/proc/{pid}")] == []
    assert console.codemode(folder, "audit", "verify", "log.sqlite").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name some tools"),
        (["--mcp", "no-such-command --x"], "the command was not found"),
        (["--mcp", f"{sys.executable} -c 'raise SystemExit(7)'"], "MCP server"),
        (["--tools", "noisy:nothing"], "nothing"),
        (["--tools", "noisy:noise", "--mode", "native"], "native"),
        (["--tools", "noisy:noise", "--journal", "j"], "--journal needs --log"),
        (["--tools", "noisy:noise", "--rules", "missing.toml"], "missing.toml"),
        (["--tools", "noisy:noise", "--log", "noisy.py"], "log"),
        (["--tools", "noisy:noise", "--wall-s", "-1"], "wall_s"),
    ],
)
def test_what_cannot_be_served_says_why_before_it_serves(
    folder: Path, arguments: list[str], says: str
) -> None:
    done = console.codemode(folder, "gateway", *arguments)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_help_shows_a_command_to_try(folder: Path) -> None:
    done = console.codemode(folder, "gateway", "--help")
    assert done.returncode == 0
    assert 'codemode gateway --mcp "git=mcp-server-git --repository ."' in done.stdout


def test_without_a_client_it_ends_at_once(folder: Path) -> None:
    done = console.codemode(folder, "gateway", "--tools", "noisy:noise")
    assert (done.returncode, done.stdout) == (0, "")
