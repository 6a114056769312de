"""Guests under a cgroup of the kernel's; skipped only where this machine lends none to a process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from codemode.sandbox import Cgroup, Limits, Sandbox, SandboxUnavailableError

pytestmark = pytest.mark.anyio

_CONTROLLERS = ("memory", "pids", "cpu")


def mounted() -> Path | None:
    """Where the machine has its cgroups of version 2."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        if after.startswith("cgroup2 "):
            return Path(before.split()[4])
    return None


@pytest.fixture
def parent() -> Iterator[Path]:
    """A cgroup without processes whose children can have every limit."""
    top = mounted()
    if top is None:
        pytest.skip("there is no cgroup v2 here")
    mine = top / f"tests-of-codemode-{os.getpid()}"
    try:
        for name in _CONTROLLERS:
            (top / "cgroup.subtree_control").write_text(f"+{name}")
        mine.mkdir()
    except OSError as error:
        pytest.skip(f"no cgroup can be limited here: {error.strerror}")
    try:
        yield mine
    finally:
        mine.rmdir()


def groups(parent: Path) -> list[Path]:
    return [path for path in parent.iterdir() if path.is_dir()]


@pytest.mark.spec("SANDBOX 3.5")
async def test_all_guests_are_in_one_group_with_the_limits_that_were_asked_for(
    parent: Path,
) -> None:
    cgroup = Cgroup(parent=parent, memory_bytes=1 << 30, processes=100, cpus=1.5)
    async with Sandbox(cgroup=cgroup) as sandbox:
        assert sandbox.isolation.cgroup
        assert not [reason for reason in sandbox.isolation.missing if "cgroup" in reason]
        (group,) = groups(parent)
        assert (group / "memory.max").read_text().strip() == str(1 << 30)
        assert (group / "pids.max").read_text().strip() == "100"
        assert (group / "cpu.max").read_text().strip() == "150000 100000"
        outcome = await sandbox.run("print(1)")
        assert outcome.stdout == "1\n"
        # The fork server is two processes where it has a pid namespace, and spares are beside it.
        assert len((group / "cgroup.procs").read_text().split()) > 1
        assert str(os.getpid()) not in (group / "cgroup.procs").read_text().split()
    assert not groups(parent)


@pytest.mark.spec("SANDBOX 3.5", "SANDBOX 3.4")
async def test_programs_that_use_up_the_memory_of_all_end_alone_and_hear_why(parent: Path) -> None:
    cgroup = Cgroup(parent=parent, memory_bytes=200 << 20)
    async with Sandbox(cgroup=cgroup, limits=Limits(memory_bytes=1 << 30)) as sandbox:
        outcome = await sandbox.run("print('so far')\nx = [bytearray(10 ** 7) for _ in range(40)]")
        assert outcome.failure is not None
        assert outcome.failure.kind == "memory_limit"
        assert "of all programs together" in outcome.failure.message
        assert outcome.stdout == "so far\n"
        assert (await sandbox.run("print(2)")).stdout == "2\n"


@pytest.mark.spec("SANDBOX 3.5")
async def test_a_group_with_no_process_left_to_give_fails_the_runs_that_come_too_many(
    parent: Path,
) -> None:
    async with Sandbox(cgroup=Cgroup(parent=parent, processes=20), spares=1) as sandbox:
        held = anyio.Event()
        begun = 0

        async def wait() -> None:
            nonlocal begun
            begun += 1
            await held.wait()

        kinds: list[str | None] = []

        async def run() -> None:
            outcome = await sandbox.run("wait()", bindings={"wait": wait})
            kinds.append(outcome.failure.kind if outcome.failure else None)
            if outcome.failure:
                assert "cannot be forked" in outcome.failure.message
            held.set()  # the first to come back is one that found no place

        async with anyio.create_task_group() as tasks:
            for _ in range(30):
                tasks.start_soon(run)
        assert kinds.count("crash") + kinds.count(None) == 30
        assert kinds.count("crash") >= 1
        assert begun == kinds.count(None)
        assert (await sandbox.run("print(3)")).stdout == "3\n"


_HOST = """
import sys
from pathlib import Path
import anyio
from codemode.sandbox import Cgroup, Sandbox

async def main():
    async with Sandbox(cgroup=Cgroup(parent=Path(sys.argv[1]), processes=50)):
        print("up", flush=True)
        await anyio.sleep_forever()

anyio.run(main)
"""


@pytest.fixture
def left(parent: Path) -> Path:
    """The group of a host that was killed, without any process by now."""
    host = subprocess.Popen(
        [sys.executable, "-c", _HOST, str(parent)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert host.stdout is not None
    with host.stdout:
        assert host.stdout.readline() == b"up\n"
    (group,) = groups(parent)
    host.kill()
    host.wait()
    while (group / "cgroup.procs").read_text():
        os.sched_yield()  # its fork server ends by itself
    return group


@pytest.mark.spec("SANDBOX 3.5")
async def test_the_group_of_a_host_that_was_killed_is_removed_by_the_next_one(
    parent: Path, left: Path
) -> None:
    async with Sandbox(cgroup=Cgroup(parent=parent, processes=50)):
        (now,) = groups(parent)
        assert now != left


@pytest.mark.spec("SANDBOX 3.5", "SANDBOX 2.4")
async def test_a_group_that_cannot_be_had_is_an_error_and_nothing_runs(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailableError, match="cgroup"):
        async with Sandbox(cgroup=Cgroup(parent=tmp_path, cpus=1)):
            pass


@pytest.mark.spec("SANDBOX 3.5", "SANDBOX 2.3")
async def test_without_one_the_report_says_that_nothing_limits_all_guests_together() -> None:
    async with Sandbox() as sandbox:
        assert not sandbox.isolation.cgroup
        assert any("cgroup" in reason for reason in sandbox.isolation.missing)
