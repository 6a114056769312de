"""Real fork servers and real guests: what they answer, how they end, what is left of them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import processes
import pytest

from codemode.sandbox.errors import GuestLostError, SandboxUnavailableError
from codemode.sandbox.forkserver.client import ForkServer, Guest
from codemode.sandbox.limits import Limits

IMAGES = Path(__file__).parent / "images"

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(IMAGES), *sys.path])


@asynccontextmanager
async def serving(image: str = "image_echo", **options: Any) -> AsyncGenerator[ForkServer]:
    """A fork server of a tiny image, ended afterwards; nothing here may take long."""
    server = ForkServer(image=image, packages=(image,), **options)
    with anyio.fail_after(30):
        try:
            await server.start()
            yield server
        finally:
            await server.aclose()


async def send(guest: Guest, line: str) -> None:
    guest.socket.send(line.encode() + b"\n")


async def receive(guest: Guest) -> str:
    """The guest's next answer, or "" at its end."""
    data = b""
    while not data.endswith(b"\n"):
        await anyio.wait_readable(guest.socket)
        try:
            piece = guest.socket.recv(65536)
        except ConnectionResetError:
            return ""
        if not piece:
            return ""
        data += piece
    return data.decode().strip()


async def ask(server: ForkServer, line: str, limits: Limits | None = None) -> str:
    """What a fresh guest answers to one expression."""
    guest = await server.acquire(limits or Limits())
    try:
        await send(guest, line)
        return await receive(guest)
    finally:
        guest.close()


def is_alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return processes.proc(pid, "stat").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def parent_of(pid: int) -> int:
    return int(processes.proc(pid, "stat").rpartition(")")[2].split()[1])


async def gone(*pidfds: int) -> None:
    """Wait for the end of processes."""
    for pidfd in pidfds:
        await anyio.wait_readable(pidfd)
        os.close(pidfd)


@pytest.mark.spec("SANDBOX 1.5")
async def test_a_guest_answers_and_is_used_once() -> None:
    async with serving(config={"given": 1}) as server:
        assert await ask(server, "config") == "{'given': 1}"
        first, second = [await server.acquire(Limits()) for _ in range(2)]
        assert first.pid != second.pid
        first.close()
        second.close()


@pytest.mark.spec("SANDBOX 1.5")
async def test_a_guest_is_warmed_up_unless_a_task_waits_for_it() -> None:
    async with serving(spares=1) as server:
        # The first are there for whoever waits for the start; others are made between two runs.
        answers = [await ask(server, "is_warm") for _ in range(20)]
        assert answers[0] == "False"
        assert "True" in answers
        guests = [await server.acquire(Limits()) for _ in range(6)]
        answers.clear()
        for guest in guests:
            await send(guest, "is_warm")
            answers.append(await receive(guest))
            guest.close()
        assert answers[-1] == "False"


@pytest.mark.spec("SANDBOX 1.1")
async def test_a_guest_carries_nothing_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_KEY", "canary-value-of-the-host")
    async with serving() as server:
        assert "canary" not in await ask(server, "os.environ")
        guest = await server.acquire(Limits())
        assert "canary" not in processes.proc(guest.pid, "cmdline")
        assert processes.proc(guest.pid, "environ") == "PYTHONHASHSEED=1\0"
        guest.close()


@pytest.mark.spec("SANDBOX 1.1", "SANDBOX 1.7")
async def test_hashes_and_set_order_are_the_same_in_every_fork_server() -> None:
    line = "[hash('x'), hash(None), list({'a', 'b', 'c', None, os.path, 1.5})]"
    answers: set[str] = set()
    missing = ""
    for _ in range(2):
        async with serving() as server:
            answers |= {await ask(server, line) for _ in range(2)}
            missing = " ".join(server.report.missing)
    assert len(answers) == 1 or "fixed layout" in missing


@pytest.mark.spec("SANDBOX 1.1")
async def test_only_named_packages_can_be_imported() -> None:
    async with serving() as server:
        for name in ("anyio", "msgpack", "pydantic"):
            assert "ModuleNotFoundError" in await ask(server, f"__import__({name!r})")


@pytest.mark.spec("SANDBOX 3.4")
@pytest.mark.parametrize(
    ("line", "cause", "number"),
    [
        ("os._exit(3)", "exited", 0),
        ("os.fork()", "violation", signal.SIGSYS),
        ("os.kill(1, 9)", "violation", signal.SIGSYS),
        ("os.write(4, b'x')", "violation", signal.SIGSYS),
        ("__import__('_thread').start_new_thread(print, ())", "violation", signal.SIGSYS),
        ("os.abort()", "crash", None),
        ("ctypes.pythonapi.Py_FatalError(b'gone')", "crash", None),
        ("ctypes.string_at(0)", "crash", signal.SIGSEGV),
    ],
)
async def test_the_cause_of_a_death_is_decided(line: str, cause: str, number: int | None) -> None:
    async with serving() as server:
        guest = await server.acquire(Limits())
        await send(guest, line)
        end = await guest.wait()
        assert end.cause == cause
        assert number is None or end.signal == number
        assert end.peak_memory_bytes > 1 << 20
        assert await guest.wait() is end
        guest.close()
        assert await ask(server, "6 * 7") == "42"


@pytest.mark.spec("SANDBOX 3.1", "SANDBOX 3.4")
async def test_processor_time_used_up_is_told_apart() -> None:
    async with serving() as server:
        guest = await server.acquire(Limits(cpu_s=1))
        await send(guest, "sum(iter(int, 1))")
        end = await guest.wait()
        assert (end.cause, end.signal) == ("cpu", signal.SIGKILL)
        assert end.cpu_s > 0.1
        guest.close()


@pytest.mark.spec("SANDBOX 3.4")
async def test_a_kill_by_nobody_we_know_is_put_down_to_memory() -> None:
    async with serving() as server:
        guest = await server.acquire(Limits())
        os.kill(guest.pid, signal.SIGKILL)
        assert (await guest.wait()).cause == "memory"
        guest.close()


@pytest.mark.spec("SANDBOX 3.1")
async def test_memory_ends_in_a_memory_error_at_the_runs_own_limit() -> None:
    async with serving() as server:
        line = "len(bytearray(100 << 20))"
        assert await ask(server, line) == str(100 << 20)
        assert await ask(server, line, Limits(memory_bytes=64 << 20)) == "MemoryError:"
        assert await ask(server, "len(bytearray(50 << 20))", Limits(memory_bytes=64 << 20))


@pytest.mark.spec("SANDBOX 1.5", "SANDBOX 2.6")
async def test_limits_are_set_before_the_program_and_cannot_be_raised() -> None:
    async with serving() as server:
        limits = Limits(memory_bytes=32 << 20, cpu_s=2)
        guest = await server.acquire(limits)
        table = processes.proc(guest.pid, "limits")
        rows = {line[:26].strip(): line[26:].split()[:2] for line in table.splitlines()}
        assert rows["Max cpu time"] == ["2", "2"]
        assert rows["Max open files"] == ["0", "0"]
        assert rows["Max core file size"] == ["0", "0"]
        soft, hard = map(int, rows["Max address space"])
        assert soft == hard < 400 << 20
        await send(guest, "__import__('resource').setrlimit(0, (9, 9))")
        assert (await guest.wait()).cause in ("violation", "exited")
        guest.close()


async def test_limits_above_the_ceilings_are_refused() -> None:
    async with serving(ceilings=Limits(memory_bytes=64 << 20, cpu_s=2)) as server:
        with pytest.raises(ValueError, match="memory_bytes"):
            await server.acquire(Limits(cpu_s=1))
        with pytest.raises(ValueError, match="cpu_s"):
            await server.acquire(Limits(memory_bytes=1 << 20, cpu_s=3))


@pytest.mark.spec("SANDBOX 1.6")
async def test_a_kill_by_the_host_ends_an_endless_loop() -> None:
    async with serving() as server:
        guest = await server.acquire(Limits())
        await send(guest, "9 ** 9 ** 9")
        guest.kill()
        assert (await guest.wait()).cause == "killed_by_host"
        guest.close()
        guest.close()
        guest.kill()


@pytest.mark.spec("SANDBOX 1.6")
async def test_the_death_of_the_fork_server_ends_its_guests_and_another_is_started() -> None:
    async with serving() as server:
        guests = [await server.acquire(Limits()) for _ in range(2)]
        await send(guests[0], "sum(iter(int, 1))")
        pidfds = [os.pidfd_open(guest.pid) for guest in guests]
        os.kill(parent_of(guests[0].pid), signal.SIGKILL)
        for guest in guests:
            assert (await guest.wait()).cause == "crash"
        await gone(*pidfds)
        for guest in guests:
            guest.close()
        assert await ask(server, "6 * 7") == "42"


@pytest.mark.spec("SANDBOX 1.6")
async def test_a_task_that_is_cancelled_in_a_restart_leaves_it_to_the_others() -> None:
    async with serving() as server:
        guest = await server.acquire(Limits())
        os.kill(parent_of(guest.pid), signal.SIGKILL)
        assert (await guest.wait()).cause == "crash"
        guest.close()
        answers: list[str] = []

        async def use() -> None:
            answers.append(await ask(server, "6 * 7"))

        async with anyio.create_task_group() as tasks:
            with anyio.CancelScope() as scope:
                tasks.start_soon(use)
                scope.cancel()
                await ask(server, "1")
    assert answers == ["42"]


HOST = """
import sys, anyio
sys.path.insert(0, {images!r})
from codemode.sandbox.forkserver.client import ForkServer
from codemode.sandbox.limits import Limits

async def main():
    server = ForkServer(image="image_echo", packages=("image_echo",), required="B")
    await server.start()
    guests = [await server.acquire(Limits()) for _ in range(3)]
    guests[0].socket.send(b"sum(iter(int, 1))\\n")
    print(server.report.level, *(guest.pid for guest in guests), flush=True)
    await anyio.sleep_forever()

anyio.run(main)
"""

WITHOUT_USER_NAMESPACES = (
    "unshare",
    "--user",
    "--map-root-user",
    "sh",
    "-c",
    'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"',
    "sh",
)


@pytest.mark.spec("SANDBOX 1.6", "SANDBOX 2.3")
@pytest.mark.parametrize("prefix", [(), WITHOUT_USER_NAMESPACES], ids=["plain", "no-userns"])
async def test_a_killed_host_leaves_nothing_behind(prefix: tuple[str, ...]) -> None:
    works = processes.user_namespaces_work()
    if prefix and not works:
        prefix = ()  # they are switched off already: the same case without our help
    command = [*prefix, sys.executable, "-c", HOST.format(images=str(IMAGES))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with anyio.fail_after(30):
        async with await anyio.open_process(command, env=environment, stderr=None) as host:
            assert host.stdout is not None
            level, *pids = (await host.stdout.receive()).split()
            assert level.decode() == ("A" if works and not prefix else "B")
            tree = {int(pid) for pid in pids} | {parent_of(int(pid)) for pid in pids}
            pidfds = [os.pidfd_open(pid) for pid in tree]
            assert all(map(is_alive, tree))
            host.kill()
            await gone(*pidfds)


@pytest.mark.spec("SANDBOX 1.8")
async def test_closing_ends_running_guests_and_waits_for_their_end() -> None:
    async with serving() as server:
        guests = [await server.acquire(Limits()) for _ in range(3)]
        await send(guests[0], "sum(iter(int, 1))")
        pids = [guest.pid for guest in guests]
        parent = parent_of(pids[0])
        await server.aclose()
        assert not any(map(is_alive, [*pids, parent]))
        for guest in guests:
            assert (await guest.wait()).signal == signal.SIGKILL
            guest.close()
        await server.aclose()
        with pytest.raises(GuestLostError, match="closed"):
            await server.acquire(Limits())


async def test_no_descriptor_is_left_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(2):
        async with serving() as server:
            guests = [await server.acquire(Limits()) for _ in range(5)]
            for guest in guests:
                guest.close()
        assert len(os.listdir("/proc/self/fd")) <= before + 2  # the event loop's own


@pytest.mark.spec("SANDBOX 1.7")
async def test_the_fork_server_is_replaced_while_old_guests_run_on() -> None:
    async with serving(max_guests_served=3) as server:
        old = await server.acquire(Limits())
        parents = {parent_of(old.pid)}
        while len(parents) < 3:
            guest = await server.acquire(Limits())
            parents.add(parent_of(guest.pid))
            guest.close()
        await send(old, "6 * 7")
        assert await receive(old) == "42"
        old.kill()
        assert (await old.wait()).cause == "killed_by_host"
        old.close()


async def test_acquires_queue_in_order_when_all_places_are_taken() -> None:
    order: list[int] = []
    async with serving(max_guests=1) as server:

        async def use(number: int) -> None:
            guest = await server.acquire(Limits())
            order.append(number)
            await send(guest, "1")
            await receive(guest)
            guest.close()

        held = await server.acquire(Limits())
        async with anyio.create_task_group() as tasks:
            for number in range(30):
                tasks.start_soon(use, number)
                await anyio.wait_all_tasks_blocked()
            assert order == []
            held.close()
    assert order == list(range(30))


async def test_a_cancelled_acquire_gives_its_place_back() -> None:
    async with serving(max_guests=1, spares=1) as server:
        for _ in range(20):
            with anyio.CancelScope() as scope:
                scope.cancel()
                guest = await server.acquire(Limits())
                guest.close()
        held = await server.acquire(Limits())
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.acquire, Limits())
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
        held.close()
        assert await ask(server, "6 * 7") == "42"


async def test_many_concurrent_acquires_are_all_served() -> None:
    answers: list[str] = []
    async with serving(max_guests=16) as server:

        async def use(number: int) -> None:
            answers.append(await ask(server, f"{number}"))

        async with anyio.create_task_group() as tasks:
            for number in range(200):
                tasks.start_soon(use, number)
    assert sorted(map(int, answers)) == list(range(200))


@pytest.mark.parametrize(
    ("image", "message"),
    [("image_broken", "the image is broken on purpose"), ("image_threaded", "1 threads")],
)
async def test_an_image_that_cannot_serve_says_why(image: str, message: str) -> None:
    with pytest.raises(SandboxUnavailableError, match=message):
        async with serving(image):
            pass


@pytest.mark.spec("SANDBOX 1.5", "SANDBOX 1.6")
async def test_guests_that_were_ordered_for_tasks_that_gave_up_do_not_stay() -> None:
    async with serving(max_guests=64) as server:

        async def come_and_go() -> None:
            (await server.acquire(Limits())).close()

        for _ in range(3):
            async with anyio.create_task_group() as tasks:
                for _ in range(60):
                    tasks.start_soon(come_and_go)
                for _ in range(3):
                    await anyio.lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
        generation = server._current
        assert generation is not None
        # Two spares, at most four times as many under load, and the fork server itself.
        while (
            len(processes.descendants(generation.pid, with_dead=True)) > 9
            or generation._demand._asked_back
        ):
            await anyio.sleep(0.01)
            generation.tidy()
        assert len(generation._spares) <= 8
        await come_and_go()


@pytest.mark.spec("SANDBOX 1.7")
async def test_a_retired_fork_server_ends_when_the_last_task_that_waited_for_it_gives_up() -> None:
    async with serving(spares=1) as server:
        guest = await server.acquire(Limits())
        generation = server._current
        assert generation is not None
        guest.close()
        everybody = [generation.pid, *processes.descendants(generation.pid, with_dead=True)]
        for pid in everybody:
            with suppress(ProcessLookupError):  # a guest that has ended
                os.kill(pid, signal.SIGSTOP)  # so that no guest comes meanwhile
        generation.drain()
        while generation._spares:
            generation.drop(generation._spares.popleft())
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(generation.take)
            await anyio.wait_all_tasks_blocked()
            generation.retire()
            tasks.cancel_scope.cancel()
        for pid in everybody:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        while not generation.has_ended():  # noqa: ASYNC110 - another process ends
            await anyio.sleep(0.01)
