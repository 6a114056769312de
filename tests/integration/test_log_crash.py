"""Killing the writer at any of its writes loses no acknowledged event.

A child process writes a session and says which events were acknowledged. The n-th time that it
touches the file (a commit in SQLite, a write in JSON Lines) it is killed: before, or half-way. The
test does it for n = 1, 2, ... until a child gets through, so no point is left out.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from codemode.runtime.audit import verify
from codemode.runtime.log import SessionNotFoundError, open_store, read_events
from codemode.runtime.log.repair import repair

WRITER = r"""
import os, signal, sys
import anyio
from codemode.runtime.log import SessionLog, open_store
from codemode.runtime.log.stores import jsonl, sqlite

path, when, at = sys.argv[1], sys.argv[2], int(sys.argv[3])
writes = 0


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def count():
    global writes
    writes += 1
    return writes == at


def before_write(fd, data, real=os.write):
    if fd > 2 and count():
        if when == "half-way":
            real(fd, bytes(data)[: len(data) // 2])
        die()
    return real(fd, data)


class Connection(sqlite.sqlite3.Connection):
    def execute(self, statement, *values):
        if statement.startswith(("BEGIN", "INSERT", "COMMIT")) and count():
            if when == "half-way":
                super().execute(statement, *values)
            die()
        return super().execute(statement, *values)


real_connect = sqlite.sqlite3.connect
sqlite.sqlite3.connect = lambda *a, **k: real_connect(*a, **k, factory=Connection)
jsonl.os.write = before_write


async def main():
    store = open_store(path)
    log = SessionLog(store, "s")
    log.emit("turn/open", {}, turn=1)
    log.emit("tool/call", {"call_id": "c1", "name": "run_code", "arguments": "{}"}, turn=1)
    run = {"call_id": "c1", "program": "", "isolation": {}, "limits": {}}
    log.emit("tool/code-run-start", run, turn=1)
    ids = {"root_call_id": "c1", "parent_call_id": "c1", "name": "t"}
    for n in range(1, 4):
        sub = {**ids, "sub_call_id": f"c1:code:{n}"}
        log.emit("tool/code-dispatch-start", {**sub, "arguments": {"n": n}}, turn=1)
        await log.flush()
        acknowledge(log.seq)
        log.emit("tool/code-dispatch", {**sub, "outcome": "ok", "is_error": False}, turn=1)
    await log.flush()
    acknowledge(log.seq)
    print("done", flush=True)
    die()


def acknowledge(seq):
    print(seq, flush=True)


anyio.run(main)
"""


def write_and_die(path: Path, when: str, at: int) -> tuple[int, bool]:
    """Run a writer that dies at its `at`-th write: what it acknowledged, and if it got through."""
    child = subprocess.run(
        [sys.executable, "-c", WRITER, str(path), when, str(at)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert child.returncode == -9, child.stderr
    lines = child.stdout.split()
    seqs = [int(line) for line in lines if line != "done"]
    return max(seqs, default=0), "done" in lines


def check(path: Path, acknowledged: int) -> None:
    """The log opens, holds all that was acknowledged, verifies, and is repaired by appending."""
    store = open_store(path)
    try:
        before = list(store.read("s"))
        assert len(before) >= acknowledged
        try:
            report = verify(store)
        except SessionNotFoundError:
            assert acknowledged == 0
            return
        assert report.ok, report.faults
        anyio.run(repair, store, "s")
        after = list(store.read("s"))
        assert after[: len(before)] == before
        assert verify(store, strict=True).ok
        starts = [e for e in read_events(store, "s") if e.type == "tool/code-dispatch-start"]
        settled = [e for e in read_events(store, "s") if e.type == "tool/code-dispatch"]
        assert len(starts) == len(settled)
    finally:
        store.close()


@pytest.mark.spec("AUDIT 1.4", "CODE_MODE 6.8")
@pytest.mark.parametrize("name", ["log.sqlite", "log.jsonl"])
@pytest.mark.parametrize("when", ["before", "half-way"])
def test_killing_the_writer_at_any_write_loses_no_acknowledged_event(
    name: str, when: str, tmp_path: Path
) -> None:
    at, got_through = 0, False
    while not got_through:
        at += 1
        folder = tmp_path / str(at)
        folder.mkdir()
        acknowledged, got_through = write_and_die(folder / name, when, at)
        assert acknowledged or not got_through
        if (folder / name).exists() and (folder / name).stat().st_size:
            check(folder / name, acknowledged)
        else:
            assert acknowledged == 0
    assert at > 5
