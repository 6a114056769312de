"""`codemode run --journal` and `codemode audit replay`: real processes, real exit codes."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from console import codemode

pytestmark = pytest.mark.spec("AUDIT 2.4", "AUDIT 3.1", "AUDIT 3.2")

TOOLS = '''
from codemode import tool

@tool(effects={"read"})
async def double(x: int) -> int:
    """Double a number."""
    return 2 * x
'''
PROGRAM = "import random\nprint(tools.double(x=21), random.random())\n{'object': repr(object())}\n"


def record(folder: Path, *options: str) -> str:
    """Run the program once; gives the call's id."""
    (folder / "shop.py").write_text(TOOLS)
    (folder / "program.py").write_text(PROGRAM)
    done = codemode(
        folder, "run", "program.py", "--tools", "shop:double", "--log", "s.sqlite", "--json",
        *options,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # The reviewer has the log and its journal, and nothing of the host's.
    (folder / "shop.py").unlink()
    call_id: str = json.loads(done.stdout)["call_id"]
    return call_id


def test_a_reviewer_replays_a_run_without_its_tools(tmp_path: Path) -> None:
    call_id = record(tmp_path, "--journal", "s.sqlite.journal")
    done = codemode(tmp_path, "audit", "replay", "s.sqlite", call_id)
    assert (done.returncode, done.stdout) == (
        0,
        "identical: the same calls, arguments, order, output and result\n"
        "calls that are the same: 1\n",
    ), done.stderr


def test_the_journal_may_lie_elsewhere_and_the_verdict_is_json(tmp_path: Path) -> None:
    call_id = record(tmp_path, "--journal", "values.db")
    done = codemode(
        tmp_path, "audit", "replay", "s.sqlite", call_id, "--journal", "values.db", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"] == "identical"
    missing = codemode(tmp_path, "audit", "replay", "s.sqlite", call_id, "--journal", "no.db")
    assert (missing.returncode, "no such journal" in missing.stderr) == (2, True)


def test_without_a_journal_it_exits_with_2_and_says_how_to_have_one(tmp_path: Path) -> None:
    call_id = record(tmp_path)
    done = codemode(tmp_path, "audit", "replay", "s.sqlite", call_id)
    assert done.returncode == 2
    assert "cannot be replayed" in done.stdout
    assert "codemode run --journal FILE" in done.stdout
    assert not (tmp_path / "s.sqlite.journal").exists()


def test_a_changed_answer_exits_with_1(tmp_path: Path) -> None:
    call_id = record(tmp_path, "--journal", "s.sqlite.journal")
    connection = sqlite3.connect(tmp_path / "s.sqlite.journal")
    connection.execute("UPDATE entry SET value = '43' WHERE CAST(value AS TEXT) = '42'")
    connection.commit()
    connection.close()
    done = codemode(tmp_path, "audit", "replay", "s.sqlite", call_id)
    assert done.returncode == 1
    assert done.stdout.startswith("TAMPERED: entry 2 (reply) of the journal was changed")


def test_a_journal_without_a_log_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("1")
    done = codemode(tmp_path, "run", "program.py", "--journal", "j.db")
    assert done.returncode == 2
    assert "--journal needs --log" in done.stderr
