"""The command line as an operator uses it: real processes, real exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import console
import pytest

TOOLS = '''
from codemode import tool

@tool(effects={"read"})
async def double(x: int) -> int:
    """Double a number."""
    return 2 * x

def plain(name: str) -> str:
    """Greet."""
    return "hello " + name

@tool
async def broken() -> None:
    """Throws."""
    raise RuntimeError("the backend is down")

TOOLS = [double, plain, broken]
'''

LOUD = '''
import subprocess

from codemode import tool

print("imported")

@tool
def speak() -> str:
    """Say it aloud."""
    print("printed", flush=True)
    subprocess.run(["echo", "started"], check=True)
    return "said"
'''

SERVER = '''
import os, sys
from mcp.server import MCPServer

server = MCPServer("shop-mcp-server")

@server.tool()
def price(item: str) -> int:
    """Price of an item."""
    return {"apple": 3}[item]

@server.tool()
def die() -> str:
    """End the server in the middle of the call."""
    os._exit(3)

server.run()
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(TOOLS)
    return tmp_path


def codemode(
    folder: Path, *arguments: str, program: str | None = None
) -> subprocess.CompletedProcess[str]:
    if program is not None:
        (folder / "program.py").write_text(program)
    return console.codemode(folder, *arguments)


def test_a_program_with_python_tools_runs_and_its_log_shows_and_verifies(folder: Path) -> None:
    done = codemode(
        folder,
        "run",
        "program.py",
        "--tools",
        "shop:TOOLS",
        "--log",
        "log.sqlite",
        program="print(tools.double(x=21))\nprint(tools.plain(name='Ada'))\n",
    )
    assert (done.returncode, done.stdout) == (0, "42\nhello Ada\n"), done.stderr
    shown = codemode(folder, "audit", "show", "log.sqlite")
    assert shown.returncode == 0
    assert "double(x=21)" in shown.stdout
    assert 'plain(name="Ada")' in shown.stdout
    verified = codemode(folder, "audit", "verify", "log.sqlite", "--json")
    assert verified.returncode == 0
    assert json.loads(verified.stdout)["ok"] is True


def test_json_and_stream_json_are_for_machines(folder: Path) -> None:
    done = codemode(folder, "run", "program.py", "--json", program="print('hi')\n[1, None]")
    document = json.loads(done.stdout)
    assert document["is_error"] is False
    assert document["value"] == {
        "logs": [{"stream": "stdout", "text": "hi\n"}],
        "result": [1, None],
    }
    done = codemode(folder, "run", "program.py", "--stream-json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0] == {"type": "output", "stream": "stdout", "text": "hi\n"}
    assert lines[-1]["type"] == "result"


@pytest.mark.spec("PIPELINE 11.4")
def test_what_tools_print_stands_in_no_document_for_machines(folder: Path) -> None:
    (folder / "loud.py").write_text(LOUD)
    options = ("--tools", "loud:speak")
    run = ("run", "program.py", *options)
    done = codemode(folder, *run, "--json", program="print(tools.speak())")
    assert json.loads(done.stdout)["content"] == [{"type": "text", "text": "said"}], done.stderr
    assert done.stderr.split() == ["imported", "printed", "started"]
    done = codemode(folder, *run, "--stream-json")
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["output", "result"]
    (folder / "rules.toml").write_text("")
    for command in (
        ("sdk", *options, "--json"),
        ("policy", "explain", "speak", "--rules", "rules.toml", *options, "--json"),
    ):
        assert json.loads(codemode(folder, *command).stdout), command


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("if True print(1)\n", "SyntaxError"),
        ("import no_such_module\n", "no_such_module"),
        ("while True:\n    pass\n", "wall clock"),
        ("x = ['x' * 1_000_000_000]\n", "memory"),
        ("tools.broken()\n", "the backend is down"),
    ],
    ids=["syntax", "module", "endless", "memory", "throwing tool"],
)
def test_a_failing_program_says_why_and_ends_with_status_1(
    folder: Path, program: str, says: str
) -> None:
    done = codemode(
        folder, "run", "program.py", "--tools", "shop:TOOLS", "--wall-s", "1", program=program
    )
    assert done.returncode == 1
    assert says in done.stderr
    assert "Traceback" not in done.stderr or 'File "program.py"' in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "missing.py"], "No such file"),
        (["run", "program.py", "--tools", "nope:TOOLS"], "nope"),
        (["run", "program.py", "--tools", "shop:MISSING"], "MISSING"),
        (["run", "program.py", "--tools", "shop"], "MODULE:NAME"),
        (["run", "program.py", "--mcp", "no-such-command --x"], "not found"),
        (
            ["run", "program.py", "--mcp", f"{sys.executable} -c 'raise SystemExit(7)'"],
            "MCP server",
        ),
        (["run", "program.py", "--wall-s", "-1"], "wall_s"),
        (["run", "program.py", "--artifacts", "program.py"], "--artifacts program.py: File exists"),
        (
            ["run", "program.py", "--file", "shop.py", "--file", "./shop.py"],
            "is named 'shop.py' too",
        ),
        (
            ["run", "program.py", "--tools", "leaving:TOOLS"],
            "--tools 'leaving:TOOLS': SystemExit: 3",
        ),
        (["run", "program.py", "--log", "missing/log.sqlite"], "make it first"),
        (["run", "program.py", "--log", "program.py"], "log"),
        (["audit", "show", "program.py"], "log"),
        (["audit", "verify", "missing.sqlite"], "missing.sqlite"),
        (["sdk"], "--tools"),
        (["sdk", "--from", "program.py"], "program.py: line 1 is not JSON"),
        (["sdk", "--from", "."], "Is a directory"),
        (["sdk", "--from", "missing.jsonl"], "missing.jsonl: No such file"),
        (["sdk", "--tools", "shop:TOOLS", "--explain", "plian"], "did you mean plain?"),
        (["sdk", "--tools", "shop:TOOLS", "--explain", "zzz"], "no tool is named 'zzz'."),
        (["sdk", "--tools", "shop:TOOLS", "--budget", "0"], "--budget"),
        (["sdk", "--tools", "shop:TOOLS", "--format", "xml"], "catalog"),
        (["sdk", "--tools", "shop"], "MODULE:NAME"),
        (["sdk", "--mcp", "no-such-command-anywhere"], "the command was not found"),
    ],
)
def test_a_usage_error_says_what_is_wrong_and_ends_with_status_2(
    folder: Path, arguments: list[str], says: str
) -> None:
    (folder / "leaving.py").write_text("raise SystemExit(3)")
    done = codemode(folder, *arguments, program="print(1)\n")
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_artifact_that_cannot_be_written_is_said_and_the_status_is_1(folder: Path) -> None:
    (folder / "out" / "x.txt").mkdir(parents=True)
    program = "for name in ('x.txt', 'y.txt'):\n    open(name, 'w').write('1')\nprint('done')\n"
    done = codemode(folder, "run", "program.py", "--artifacts", "out", program=program)
    assert (done.returncode, done.stdout) == (1, "done\n")
    assert done.stderr == "codemode: artifact 'x.txt' cannot be written: Is a directory\n"
    assert (folder / "out" / "y.txt").read_text() == "1"


def test_an_output_that_cannot_be_written_is_said_in_one_line(folder: Path) -> None:
    (folder / "program.py").write_text("print(1)")
    command = [sys.executable, "-m", "codemode", "run"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*command, "program.py"], cwd=folder, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1), done.stderr
    assert b"the output is not whole: No space left on device" in done.stderr
    closed = subprocess.run(
        [*command, "-"],
        cwd=folder,
        capture_output=True,
        check=False,
        preexec_fn=lambda: os.close(0),
    )
    assert (closed.returncode, closed.stdout) == (2, b"")
    assert b"standard input is closed" in closed.stderr


def test_files_go_in_and_artifacts_come_out(folder: Path) -> None:
    (folder / "data.csv").write_text("a,b\n1,2\n")
    done = codemode(
        folder,
        "run",
        "program.py",
        "--file",
        "data.csv",
        "--artifacts",
        "out",
        program="import os\nos.makedirs('sub')\nopen('sub/copy.csv', 'w').write(open('data.csv').read().upper())\n",
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "out" / "sub" / "copy.csv").read_text() == "A,B\n1,2\n"
    assert not (folder / "out" / "data.csv").exists()


def test_doctor_proves_the_isolation(folder: Path) -> None:
    done = codemode(folder, "doctor", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["level"] in ("A", "B")
    assert dict(report["probes"])["fork"] == "killed"
    assert "level" in codemode(folder, "doctor", "--limits").stdout


@pytest.fixture
def server(folder: Path) -> str:
    (folder / "server.py").write_text(SERVER)
    return f"{sys.executable} server.py"


def test_an_mcp_server_s_tools_are_grouped_and_asked_for(folder: Path, server: str) -> None:
    program = (
        "try:\n    print(tools.shop.price(item='apple'))\n"
        "except ToolCallError as error:\n    print(error.code)\n"
    )
    done = codemode(folder, "run", "program.py", "--mcp", server, program=program)
    assert (done.returncode, done.stdout) == (0, "APPROVAL_UNAVAILABLE\n"), done.stderr
    done = codemode(folder, "run", "program.py", "--mcp", server, "--approve", "all")
    assert (done.returncode, done.stdout) == (0, "{'result': 3}\n"), done.stderr
    catalog = codemode(folder, "sdk", "--mcp", f"kiosk={server}")
    assert "price(item)" in catalog.stdout
    assert "tools.kiosk" in catalog.stdout


def test_a_server_that_dies_in_a_call_fails_that_call_and_loses_no_event(
    folder: Path, server: str
) -> None:
    program = (
        "try:\n    tools.shop.die()\nexcept ToolCallError as error:\n    print(error.code)\n"
        "print('still here')\n"
    )
    done = codemode(
        folder,
        "run",
        "program.py",
        "--mcp",
        server,
        "--approve",
        "all",
        "--log",
        "log.sqlite",
        program=program,
    )
    assert (done.returncode, done.stdout) == (0, "UNKNOWN_OUTCOME\nstill here\n"), done.stderr
    assert codemode(folder, "audit", "verify", "log.sqlite").returncode == 0
    tree = json.loads(codemode(folder, "audit", "show", "log.sqlite", "--json").stdout)
    assert "die" in json.dumps(tree)


def test_a_malformed_schema_degrades_its_own_node(folder: Path) -> None:
    definitions: list[Any] = [
        {
            "name": "odd",
            "description": "Odd.",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"type": 7}, "b": {"type": "integer"}},
            },
        },
        {
            "name": "fine",
            "description": "Fine.",
            "inputSchema": {"type": "object", "properties": {}},
        },
    ]
    (folder / "tools.jsonl").write_text("\n".join(map(json.dumps, definitions)))
    done = codemode(folder, "sdk", "--from", "tools.jsonl")
    assert done.returncode == 0, done.stderr
    assert "b?: int" in done.stdout
    assert "fine()" in done.stdout


FROM: dict[str, dict[str, dict[str, str]]] = {"properties": {"from": {}}}


def test_every_form_of_the_sdk_of_two_files_and_of_python_tools(folder: Path) -> None:
    for group, name in (("shop", "find-order"), ("post", "a\nb")):
        line = {"name": name, "inputSchema": FROM, "group": group}
        (folder / f"{group}.jsonl").write_text(json.dumps(line))
    named = ["sdk", "--from", "shop.jsonl", "--from", "post.jsonl", "--tools", "shop:TOOLS"]
    printed = {
        form: codemode(folder, *named, "--format", form)
        for form in ("catalog", "prompt", "stubs", "json", "names")
    }
    for done in printed.values():
        assert done.returncode == 0, done.stderr
    assert "find_order(from_?: Any)" in printed["catalog"].stdout
    assert "def find_order(self, from_: _Any = ...)" in printed["stubs"].stdout
    # A name cannot break the table.
    assert "shop\tfind-order\ttools.shop.find_order" in printed["names"].stdout.splitlines()
    assert "post\ta b\ttools.post.ab" in printed["names"].stdout.splitlines()
    assert codemode(folder, *named, "--json").stdout == printed["json"].stdout
    tools = {tool["path"]: tool["wire"] for tool in json.loads(printed["json"].stdout)["tools"]}
    assert tools["tools.shop.find_order"] == "find-order"
    assert "tools.plain" in tools
    shown = json.loads(codemode(folder, *named, "--explain", "find-order", "--json").stdout)
    assert shown["parameters"] == {"from": "from_"}


def test_help_teaches_every_command(folder: Path) -> None:
    for arguments in (
        [],
        ["run"],
        ["sdk"],
        ["doctor"],
        ["gateway"],
        ["bench"],
        ["audit"],
        ["audit", "show"],
        ["audit", "verify"],
    ):
        done = codemode(folder, *arguments, "--help")
        assert done.returncode == 0
        assert "Usage" in done.stdout
