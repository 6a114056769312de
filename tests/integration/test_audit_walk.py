"""docs/audit.md, followed literally on the recorded session; and the recording, made anew.

`UPDATE_GOLDEN=1 pytest ...` writes what each command prints into the page; read the difference
before you keep it. The recording itself is only ever replaced by hand, with the example's recorder.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from console import shell_environment, typed

from codemode import ToolRuntime
from codemode.runtime.audit import build_tree, verify
from codemode.runtime.log import KeySigner, open_store, read_events
from codemode.runtime.log.signing import read_public_key
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.sandbox.values import Json

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "audit.md"
RECORDED = ROOT / "examples" / "audit_walk" / "recorded"
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"\A# ([\w.]+\.py)\b")


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A reviewer's folder: the log, its journal, the host's public key, and nothing else."""
    desk = tmp_path / "desk"
    desk.mkdir()
    for file in ("session.jsonl", "session.jsonl.journal", "host.pem"):
        (desk / file).write_bytes((RECORDED / file).read_bytes())
    return desk


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return shell_environment(tmp_path)


def followed(block: str, desk: Path, environment: dict[str, str]) -> str:
    """A console block as it comes out when its commands are typed."""
    commands = re.findall(r"^\$ (.*)$", block, re.MULTILINE)
    return "".join(f"$ {command}\n{typed(command, desk, environment)}" for command in commands)


@pytest.mark.spec("AUDIT 2.1", "AUDIT 2.2", "AUDIT 2.3", "AUDIT 2.4", "AUDIT 3.2")
def test_each_command_of_the_guide_prints_what_it_says(
    desk: Path, environment: dict[str, str]
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    made, count = page, 0
    for kind, block in BLOCK.findall(page):
        if kind == "python":
            if named := NAMED.match(block):
                (desk / named[1]).write_text(block)
            continue
        count += block.count("\n$ ") + 1
        made = made.replace(block, followed(block, desk, environment))
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(made, encoding="utf-8")
    assert count >= 25
    assert made == page


@pytest.mark.spec("AUDIT 1.3")
def test_an_outside_verifier_needs_only_the_page(desk: Path, environment: dict[str, str]) -> None:
    """The page's own verifier imports nothing of the package, and finds what verify finds."""
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    (program,) = [block for _, block in blocks if block.startswith("# outside.py")]
    assert "codemode" not in program.replace("codemode checkpoint c1", "")
    (desk / "outside.py").write_text(program)
    log = desk / "session.jsonl"
    honest = log.read_text(encoding="utf-8")
    for text, expected in ((honest, 0), (honest.replace('"denied"', '"ok"'), 1)):
        log.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "outside.py"], cwd=desk, capture_output=True, timeout=60, check=False
        )
        assert done.returncode == expected, done.stderr


def shape(log: Path) -> Json:
    """What of a recording is the same each time: no id, no time, no chance, no digest."""
    store = open_store(log, read_only=True)
    (session,) = store.sessions()
    tree = build_tree(read_events(store, session)).as_json()
    assert verify(store).ok
    store.close()
    keys = {"name", "kind", "outcome", "line", "turns", "calls", "children", "program", "late",
            "redacted", "claimed_by", "approvals", "by", "is_closed", "events"}  # fmt: skip
    return kept(tree, keys)


def kept(value: Json, keys: set[str]) -> Json:
    """The value with only these keys, at any depth."""
    if isinstance(value, dict):
        return {name: kept(item, keys) for name, item in value.items() if name in keys}
    return [kept(item, keys) for item in value] if isinstance(value, list) else value


@pytest.mark.spec("AUDIT 3.1")
def test_the_recorder_still_records_the_session_that_is_checked_in(tmp_path: Path) -> None:
    folder = tmp_path / "recording"
    done = subprocess.run(
        [sys.executable, "-m", "examples.audit_walk.record", str(folder)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert shape(folder / "session.jsonl") == shape(RECORDED / "session.jsonl")
    store = open_store(folder / "session.jsonl", read_only=True)
    key = read_public_key(str(folder / "host.pem"))
    assert verify(store, public_key=key, strict=True).ok
    store.close()
    for file in ("session.jsonl", "session.jsonl.journal"):
        assert b"quince-and-pear" not in (folder / file).read_bytes()
        assert b"quince-and-pear" not in (RECORDED / file).read_bytes()


@pytest.mark.anyio
@pytest.mark.spec("AUDIT 1.3")
async def test_a_session_of_one_run_is_signed_too() -> None:
    log = MemoryStore()
    signer = KeySigner.from_bytes(bytes(32))
    async with ToolRuntime(mode="code", log=log, signer=signer) as runtime:
        assert not (await runtime.run_code("1 + 1")).is_error
    report = verify(log, public_key=signer.public_key, strict=True)
    assert (report.ok, report.warnings) == (True, ())


def test_the_forgeries_differ_from_the_record_and_are_made_by_one_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "examples.audit_walk.tamper", str(tmp_path)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    honest = (RECORDED / "session.jsonl").read_bytes()
    forged = sorted(tmp_path.glob("*.jsonl"))
    assert len(forged) == 11
    for copy in forged:
        assert copy.read_bytes() != honest
        assert all(json.loads(line) for line in copy.read_bytes().splitlines())
