"""The fork server as a process: one thread, warm, and with its memory settled before it forks."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from processes import generations

from codemode.sandbox import Sandbox

pytestmark = pytest.mark.anyio

IMPORTED = "import sys, json; print(json.dumps(sorted(sys.modules)))"
FROZEN = "import gc; print(gc.get_freeze_count())"


def status(pid: int, field: str) -> str:
    """One line of the kernel's account of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split(":", 1)[1].strip() for line in lines if line.startswith(field + ":"))


def fork_servers() -> list[int]:
    """Fork servers and guests below this process: forks keep the command line."""
    below = (pid for level in generations(os.getpid()) for pid in level)
    return [pid for pid in below if b"boot.py" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.mark.spec("SANDBOX 1.2")
async def test_it_and_its_guests_have_one_thread_each() -> None:
    async with Sandbox() as sandbox:
        assert (await sandbox.run("1 + 1")).result == 2
        servers = fork_servers()
        assert servers
        assert {status(pid, "Threads") for pid in servers} == {"1"}


@pytest.mark.spec("SANDBOX 1.2")
async def test_a_guest_finds_what_it_needs_imported_and_the_collector_s_generations_frozen() -> (
    None
):
    async with Sandbox(policy="none") as sandbox:
        first: Any = json.loads((await sandbox.run(IMPORTED)).stdout)
        frozen = int((await sandbox.run(FROZEN)).stdout)
    assert {"RestrictedPython", "msgpack", "greenlet", "asyncio", "json", "re"} <= set(first)
    assert not {"anyio", "pydantic", "codemode.runtime"} & set(first)
    assert frozen > 10_000
