"""`codemode resume`, after a `codemode run` whose whole process was killed in a tool."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from console import codemode

pytestmark = pytest.mark.spec("AUDIT 3.4")

TOOLS = '''
import os, signal
from codemode import tool

@tool(effects={"write"})
def pay(invoice: str) -> str:
    """Pay an invoice; the first time, the host dies before anybody hears of it."""
    with open("paid", "a") as file:
        print(invoice, file=file)
    if invoice == "R-2" and not os.path.exists("died"):
        open("died", "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return f"paid {invoice}"
'''
SERVER = '''
from mcp.server import MCPServer

server = MCPServer("shelf")

@server.tool()
def shelf(title: str) -> str:
    """Where a book stands."""
    return "F7"

server.run()
'''
PROGRAM = """
for invoice in ("R-1", "R-2", "R-3"):
    print(tools.pay(invoice=invoice))
open("report.txt", "w").write("done")
"""


def paid(folder: Path) -> list[str]:
    return (folder / "paid").read_text().split()


@pytest.fixture
def call_id(tmp_path: Path) -> str:
    """The call of a run that died with its host while it paid R-2."""
    (tmp_path / "shop.py").write_text(TOOLS)
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "input.txt").write_text("given")
    died = codemode(
        tmp_path, "run", "program.py", "--tools", "shop:pay", "--log", "s.sqlite",
        "--journal", "s.sqlite.journal", "--artifacts", "never", "--file", "input.txt",
    )  # fmt: skip
    assert died.returncode == -signal.SIGKILL, died.stderr
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as log, log:
        (body,) = log.execute("SELECT body FROM event WHERE type = 'tool/call'").fetchone()
    found: str = json.loads(body)["data"]["call_id"]
    return found


def test_what_is_not_known_is_asked_and_the_run_goes_on(tmp_path: Path, call_id: str) -> None:
    asked = codemode(tmp_path, "resume", "s.sqlite", call_id, "--tools", "shop:pay")
    assert (asked.returncode, asked.stdout) == (2, "")
    assert '  2: line 3, pay {"invoice": "R-2"}' in asked.stderr
    assert "--answer N=JSON (it happened) or --repeat N" in asked.stderr
    assert paid(tmp_path) == ["R-1", "R-2"]
    done = codemode(
        tmp_path, "resume", "s.sqlite", call_id, "--tools", "shop:pay",
        "--answer", '2="paid R-2, says the bank"', "--artifacts", "out",
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (
        0,
        "paid R-1\npaid R-2, says the bank\npaid R-3\n4\n",
    ), done.stderr
    assert paid(tmp_path) == ["R-1", "R-2", "R-3"]
    assert (tmp_path / "out" / "report.txt").read_text() == "done"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["report.txt"]
    shown = codemode(tmp_path, "audit", "show", "s.sqlite")
    assert f"resumed from {call_id} of s_" in shown.stdout
    assert "restored: 1; answered by the host: 2" in shown.stdout
    verified = codemode(tmp_path, "audit", "verify", "s.sqlite")
    assert verified.returncode == 0, verified.stdout
    again = codemode(tmp_path, "resume", "s.sqlite", call_id, "--tools", "shop:pay")
    assert (again.returncode, "it was resumed already, as call_" in again.stderr) == (2, True)


def test_the_question_is_json_for_a_machine(tmp_path: Path, call_id: str) -> None:
    asked = codemode(tmp_path, "resume", "s.sqlite", call_id, "--tools", "shop:pay", "--json")
    assert asked.returncode == 2
    assert json.loads(asked.stdout)["unknown"] == [
        {
            "number": 2,
            "name": "pay",
            "arguments": {"invoice": "R-2"},
            "line": 3,
            "outcome": "unknown",
        }
    ]
    repeated = codemode(
        tmp_path, "resume", "s.sqlite", call_id, "--tools", "shop:pay", "--repeat", "2", "--json"
    )
    assert repeated.returncode == 0, repeated.stderr
    assert json.loads(repeated.stdout)["is_error"] is False
    assert paid(tmp_path) == ["R-1", "R-2", "R-2", "R-3"]


def test_the_question_is_one_line_of_a_stream(tmp_path: Path, call_id: str) -> None:
    asked = codemode(
        tmp_path, "resume", "s.sqlite", call_id, "--tools", "shop:pay", "--stream-json"
    )
    assert asked.returncode == 2
    (line,) = asked.stdout.splitlines()
    assert json.loads(line)["type"] == "refused"
    assert "--answer N=JSON (it happened) or --repeat N" in json.loads(line)["refused"]


def test_the_question_is_the_same_with_a_server_beside(tmp_path: Path, call_id: str) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    arguments = ("resume", "s.sqlite", call_id, "--tools", "shop:pay")
    server = ("--mcp", f"{sys.executable} server.py")
    asked = codemode(tmp_path, *arguments, *server)
    assert (asked.returncode, asked.stdout) == (2, "")
    assert '  2: line 3, pay {"invoice": "R-2"}' in asked.stderr
    as_json = codemode(tmp_path, *arguments, *server, "--json")
    assert (as_json.returncode, len(json.loads(as_json.stdout)["unknown"])) == (2, 1)
    other = codemode(tmp_path, *arguments, *server, "--repeat", "2")
    assert other.returncode == 1
    assert "has changed since then: new: tools.shelf.shelf" in other.stderr
    assert paid(tmp_path) == ["R-1", "R-2"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["no.sqlite", "call_x"], "no.sqlite: no such file"),
        (
            ["s.sqlite", "call_x"],
            "has no run of a call call_x; codemode audit show s.sqlite has their ids",
        ),
        (["s.sqlite", "CALL", "--answer", "2"], "--answer 2: not N=JSON"),
        (["s.sqlite", "CALL", "--answer", "9=1"], "call 9 waits for no answer"),
        (
            ["s.sqlite", "CALL", "--answer", "2=1", "--answer", "2=3"],
            "call 2 has an answer already",
        ),
        (["s.sqlite", "CALL", "--journal", "other"], "other: no such file; --journal names"),
        (
            ["s.sqlite", "CALL", "--repeat", "2", "--memory-mib", "64"],
            "give --cpu-s 10 --memory-mib 256",
        ),
    ],
)
def test_a_usage_error_says_what_is_wrong(
    tmp_path: Path, call_id: str, arguments: list[str], complaint: str
) -> None:
    given = [call_id if one == "CALL" else one for one in arguments]
    refused = codemode(tmp_path, "resume", *given, "--tools", "shop:pay")
    assert refused.returncode == 2
    assert complaint in refused.stderr
    assert paid(tmp_path) == ["R-1", "R-2"]
