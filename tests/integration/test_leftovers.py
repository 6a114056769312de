"""Whatever ends first, nothing is left: no process, no descriptor, no run without an outcome."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import processes
import pytest

from codemode.sandbox import Limits, Outcome, Sandbox

pytestmark = pytest.mark.anyio

#: A host that runs endless programs; it says so once they all run, and waits to be killed.
HOST = """
import anyio
from codemode.sandbox import Sandbox

async def main():
    running = 0

    async def started():
        nonlocal running
        running += 1
        if running == 3:
            print("running", flush=True)

    async with Sandbox() as sandbox, anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(lambda: sandbox.run("started()\\nwhile True: pass", bindings={"started": started}))

anyio.run(main)
"""


@asynccontextmanager
async def leaving_nothing() -> AsyncGenerator[None]:
    """Afterwards this process has the children and the descriptors that it had before."""
    children, open_before = processes.descendants(os.getpid()), processes.descriptors()
    with anyio.fail_after(60):
        yield
    assert processes.descendants(os.getpid()) == children
    assert processes.descriptors() == open_before


async def until_gone(pids: set[int]) -> None:
    """Wait until none of these processes lives."""
    with anyio.fail_after(20):
        while pids & processes.parents().keys():  # noqa: ASYNC110  # the kernel tells nobody
            await anyio.sleep(0.01)


@pytest.mark.spec("SANDBOX 1.8")
async def test_a_closed_sandbox_leaves_no_process_and_no_descriptor() -> None:
    async with leaving_nothing(), Sandbox() as sandbox:
        assert (await sandbox.run("print(1)")).stdout == "1\n"
        assert (
            await sandbox.run("while True: pass", limits=Limits(wall_s=0.2))
        ).failure is not None


@pytest.mark.spec("SANDBOX 1.8")
async def test_closing_ends_running_programs_as_abort_and_leaves_nothing() -> None:
    outcomes: list[Outcome] = []
    async with leaving_nothing():
        sandbox = Sandbox()
        await sandbox.start()
        started = anyio.Event()

        async def tell() -> None:
            started.set()

        async def run() -> None:
            outcomes.append(await sandbox.run("tell()\nwhile True: pass", bindings={"tell": tell}))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await started.wait()
            await sandbox.aclose()
    assert [outcome.failure.kind for outcome in outcomes if outcome.failure] == ["abort"]


@pytest.mark.spec("SANDBOX 1.8", "SANDBOX 1.6")
async def test_a_cancelled_run_leaves_nothing() -> None:
    async with leaving_nothing(), Sandbox() as sandbox:
        started = anyio.Event()

        async def tell() -> None:
            started.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(
                lambda: sandbox.run("tell()\nwhile True: pass", bindings={"tell": tell})
            )
            await started.wait()
            tasks.cancel_scope.cancel()
        assert (await sandbox.run("print(1)")).stdout == "1\n"


@pytest.mark.spec("SANDBOX 1.6")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_a_host_that_is_killed_in_mid_run_leaves_no_process(number: signal.Signals) -> None:
    with subprocess.Popen(  # noqa: ASYNC220  # it blocks for a moment only
        [sys.executable, "-c", HOST], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as host:
        assert host.stdout is not None
        assert await anyio.to_thread.run_sync(host.stdout.readline) == b"running\n"
        below = processes.descendants(host.pid)
        assert below
        host.send_signal(number)
        await anyio.to_thread.run_sync(host.wait)
        await until_gone(below)


@pytest.mark.spec("SANDBOX 1.6")
async def test_a_fork_server_that_dies_takes_its_runs_along_and_is_replaced() -> None:
    async with leaving_nothing(), Sandbox() as sandbox:
        before = processes.descendants(os.getpid())
        started = anyio.Event()
        lost: list[Outcome] = []

        async def tell() -> None:
            started.set()

        async def run() -> None:
            lost.append(await sandbox.run("tell()\nwhile True: pass", bindings={"tell": tell}))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await started.wait()
            for pid in processes.generations(os.getpid())[-2]:
                os.kill(pid, signal.SIGKILL)
        assert [outcome.failure.kind for outcome in lost if outcome.failure] == ["crash"]
        await until_gone(before)
        assert (await sandbox.run("print(2)")).stdout == "2\n"


@pytest.mark.spec("SANDBOX 1.6", "SANDBOX 3.4")
async def test_a_guest_that_is_killed_from_outside_is_one_lost_run_and_no_more() -> None:
    async with leaving_nothing(), Sandbox(spares=1) as sandbox:
        started = anyio.Event()
        lost: list[Outcome] = []

        async def tell() -> None:
            started.set()

        async def run() -> None:
            source = "tell()\nwhile True: pass"
            lost.append(await sandbox.run(source, bindings={"tell": tell}))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await started.wait()
            killed = set[int]().union(processes.generations(os.getpid())[-1])
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
            await until_gone(killed)
        # A SIGKILL that the host did not send, with processor time left, is the kernel's for want of memory.
        assert [outcome.failure.kind for outcome in lost if outcome.failure] == ["memory_limit"]
        after = await sandbox.run("print(3)")
        assert after.stdout == "3\n", after.failure


@pytest.mark.spec("SANDBOX 1.8")
async def test_two_hundred_runs_at_once_all_end_and_leave_nothing() -> None:
    outcomes: dict[int, str] = {}

    async def double(x: int) -> int:
        await anyio.lowlevel.checkpoint()
        return 2 * x

    async with leaving_nothing(), Sandbox(max_concurrent=32) as sandbox:

        async def run(number: int) -> None:
            outcome = await sandbox.run(f"print(double(x={number}))", bindings={"double": double})
            outcomes[number] = outcome.stdout

        async with anyio.create_task_group() as tasks:
            for number in range(200):
                tasks.start_soon(run, number)
    assert outcomes == {number: f"{2 * number}\n" for number in range(200)}


@pytest.mark.spec("SANDBOX 1.8", "SANDBOX 1.5")
async def test_nothing_of_a_run_is_seen_by_the_next() -> None:
    leave = """
import random, decimal, os, json, sys, collections
random.seed(1)
decimal.getcontext().prec = 3
open("/tmp/left", "w").write("secret")
collections.left = 1
"""
    look = """
import random, decimal, os
print(decimal.getcontext().prec, os.path.exists("/tmp/left"), "left_name" in dir())
"""
    async with leaving_nothing(), Sandbox() as sandbox:
        for _ in range(4):
            await sandbox.run("left_name = 1\n" + leave)
            assert (await sandbox.run(look)).stdout == "28 False False\n"
        drawn = [await sandbox.run("import random\nprint(random.random())") for _ in range(4)]
        assert len({outcome.stdout for outcome in drawn}) == len(drawn)
