"""The jail of real guests, looked at from outside, and attacked from inside by plain Python.

The language policy plays no part here: an image evaluates what it is told.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import processes
import pytest

from codemode.sandbox.errors import SandboxUnavailableError
from codemode.sandbox.forkserver.client import ForkServer, Guest
from codemode.sandbox.isolation import IsolationReport, Required
from codemode.sandbox.jail import landlock, probes
from codemode.sandbox.limits import Limits
from codemode.sandbox.values import Json

IMAGES = Path(__file__).parent / "images"

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(IMAGES), *sys.path])


@asynccontextmanager
async def jailed() -> AsyncGenerator[tuple[ForkServer, Guest]]:
    """One guest of a tiny image."""
    server = ForkServer(image="image_echo", packages=("image_echo",))
    with anyio.fail_after(30):
        try:
            await server.start()
            guest = await server.acquire(Limits())
            yield server, guest
            guest.close()
        finally:
            await server.aclose()


async def ask(guest: Guest, line: str) -> str:
    """A guest's answer to one expression, or "" when that ended it."""
    guest.socket.send(line.encode() + b"\n")
    await anyio.wait_readable(guest.socket)
    try:
        return guest.socket.recv(65536).decode().strip()
    except ConnectionResetError:
        return ""


def status(pid: int) -> dict[str, str]:
    lines = processes.proc(pid, "status").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def landlock_works() -> bool:
    try:
        return landlock.abi() > 0
    except OSError:
        return False


@pytest.mark.spec("SANDBOX 2.3", "SANDBOX 2.4")
async def test_the_level_is_the_best_that_this_machine_gives() -> None:
    async with jailed() as (server, _):
        report = server.report
        expected = "A" if processes.user_namespaces_work() else "B"
        assert report.level == (expected if landlock_works() else "B-")
        assert report.seccomp
        assert dict(report.probes).keys() == probes.PROBES.keys()
        assert set(dict(report.probes).values()) <= {"EPERM", "killed"}


@pytest.mark.spec("SANDBOX 1.4", "SANDBOX 2.1")
async def test_a_guest_has_the_bridge_no_privilege_and_a_filter() -> None:
    async with jailed() as (_, guest):
        assert os.listdir(f"/proc/{guest.pid}/fd") == ["3"]
        facts = status(guest.pid)
        assert (facts["NoNewPrivs"], facts["Seccomp"]) == ("1", "2")
        for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            assert int(facts[kind], 16) == 0
        assert facts["Threads"] == "1"


@pytest.mark.spec("SANDBOX 1.3")
async def test_a_guest_sees_an_empty_world_of_its_own() -> None:
    async with jailed() as (server, guest):
        if server.report.level != "A":
            assert not processes.user_namespaces_work()
            return
        for kind in ("user", "net", "ipc", "uts", "mnt", "pid"):
            ours, theirs = (os.readlink(f"/proc/{who}/ns/{kind}") for who in ("self", guest.pid))
            assert ours != theirs, kind
        assert os.listdir(f"/proc/{guest.pid}/root/") == []
        assert status(guest.pid)["NSpid"].split()[-1] == "1"
        mounts = processes.proc(guest.pid, "mounts").splitlines()
        assert len(mounts) == 1
        assert mounts[0].split()[3].startswith("ro,")
        other = await server.acquire(Limits())
        pids = {os.readlink(f"/proc/{one.pid}/ns/pid") for one in (guest, other)}
        other.close()
        assert len(pids) == 2


@pytest.mark.spec("SANDBOX 2.1")
@pytest.mark.parametrize(
    "line",
    [
        "open('/etc/passwd')",
        "open('/proc/self/mem', 'wb')",
        "os.listdir('/')",
        "os.stat('/')",
        "os.getcwd()",
        "os.readlink('/proc/self/exe')",
        "os.fstat(3)",
        "os.lseek(3, 0, 0)",
        "os.isatty(3) or os.get_terminal_size(3)",
    ],
)
async def test_honest_mistakes_get_an_error_and_go_on(line: str) -> None:
    async with jailed() as (_, guest):
        assert "[Errno 1] Operation not permitted" in await ask(guest, line)
        assert await ask(guest, "6 * 7") == "42"


@pytest.mark.spec("SANDBOX 2.1")
@pytest.mark.parametrize(
    "line",
    [
        "os.fork()",
        "os.kill(os.getpid(), 9)",
        "os.execve('/bin/sh', ['sh'], {})",
        "os.posix_spawn('/bin/sh', ['sh'], {})",
        "os.read(0, 1)",
        "os.write(1, b'x')",
        "os.close(3)",
        "os.dup(3)",
        "os.pipe()",
        "os.memfd_create('x')",
        "os.unlink('/x')",
        "os.setuid(0)",
        "os.unshare(0x10000000) if hasattr(os, 'unshare') else os.getppid()",
        "__import__('_socket').socket()",
        "__import__('_thread').start_new_thread(print, ())",
        "ctypes.CDLL(None).mprotect(ctypes.c_void_p(id(os) & ~4095), 4096, 7)",
        "ctypes.CDLL(None).mmap(0, 4096, 7, 34, -1, 0)",
        "ctypes.CDLL(None).ptrace(0, 0, 0, 0)",
        "ctypes.CDLL(None).syscall(425, 1, 0)",
        "ctypes.CDLL(None).syscall(39 | 0x40000000)",
        "ctypes.CDLL(None).sigaltstack(0, 0)",
        "ctypes.CDLL(None).tgkill(2, 2, 6)",
        "ctypes.CDLL(None).prctl(22, 0, 0, 0, 0)",
    ],
)
async def test_an_attack_ends_the_guest_as_a_violation(line: str) -> None:
    async with jailed() as (_, guest):
        assert await ask(guest, line) == ""
        assert (await guest.wait()).cause == "violation"


@pytest.mark.spec("SANDBOX 2.1")
@pytest.mark.parametrize(
    "line",
    [
        "len([bytes(9000) for _ in range(3000)])",
        "len(bytearray(64 << 20)) and len(bytearray(1 << 20) * 32)",
        "[gc.collect() for _ in range(3)] and 1",
        "str(decimal.Decimal(2).sqrt())",
        "time.sleep(0) or time.sleep(0.001) or time.time() > 1",
        "time.process_time() >= 0 and time.thread_time() >= 0 and time.perf_counter() > 0",
        "time.strftime('%Y') > '2000'",
        "random.random() < 1 and len(os.urandom(100)) == 100",
        "random.SystemRandom().random() < 1",
        "(lambda f: f(f, 800))(lambda f, n: n and f(f, n - 1)) == 0",
        "__import__('json').dumps({'a': [1.5, None]})",
        "__import__('re').sub('a+', 'b', 'aaa' * 1000)",
        "sorted(range(100000), key=lambda x: -x)[0]",
        "2 ** 100000 % 97",
        "eval(compile('[x ** 2 for x in range(5)]', 'p', 'eval'))",
        "os.getpid() > 0",
    ],
)
async def test_ordinary_work_needs_nothing_more(line: str) -> None:
    async with jailed() as (_, guest):
        answer = await ask(guest, line)
        assert answer
        assert "Error" not in answer
        assert await ask(guest, "6 * 7") == "42"


@pytest.mark.spec("SANDBOX 3.1")
@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("[0] * (1 << 40)", "MemoryError"),
        ("(lambda f: f(f))(lambda f: f(f))", "RecursionError"),
        ("__import__('no_such_module')", "ModuleNotFoundError"),
    ],
)
async def test_ordinary_failures_are_exceptions(line: str, error: str) -> None:
    async with jailed() as (_, guest):
        assert (await ask(guest, line)).startswith(error)
        assert await ask(guest, "6 * 7") == "42"


REPORT = """
import sys, json, anyio
sys.path.insert(0, {images!r})
from codemode.sandbox.forkserver.client import ForkServer
from codemode.sandbox.limits import Limits
from codemode.sandbox.errors import SandboxUnavailableError

async def main():
    server = ForkServer(image="image_echo", packages=("image_echo",), required={required!r})
    try:
        report = await server.start()
        guest = await server.acquire(Limits(cpu_s=1))
        guest.socket.send(b"os.fork()\\n")
        end = await guest.wait()
        guest.close()
        print(json.dumps([report.as_json(), end.cause]))
    except SandboxUnavailableError as error:
        print(json.dumps([str(error), list(error.missing)]))
    finally:
        await server.aclose()

anyio.run(main)
"""


def report_of(*prefix: str, required: str = "B") -> list[Any]:
    """What another process, started by `prefix`, gets."""
    done = subprocess.run(
        [
            *prefix,
            sys.executable,
            "-c",
            REPORT.format(images=str(IMAGES), required=required),
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode()
    found: list[Any] = json.loads(done.stdout)
    return found


NO_USER_NAMESPACES = (
    "unshare",
    "--user",
    "--map-root-user",
    "sh",
    "-c",
    'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"',
    "sh",
)


@pytest.fixture
def no_user_namespaces() -> tuple[str, ...]:
    """A prefix under which user namespaces cannot be made."""
    return NO_USER_NAMESPACES if processes.user_namespaces_work() else ()


@pytest.fixture
def anyio_backend() -> str:
    """The jail does not depend on the host's event loop; the client is tested on both."""
    return "asyncio"


@pytest.mark.spec("SANDBOX 2.3")
def test_without_user_namespaces_the_level_is_b_and_says_why(
    no_user_namespaces: tuple[str, ...],
) -> None:
    report, cause = report_of(*no_user_namespaces)
    assert report["level"] == ("B" if landlock_works() else "B-")
    assert any("user namespace" in reason for reason in report["missing"])
    assert cause == "violation"


@pytest.mark.spec("SANDBOX 2.3")
def test_a_level_that_cannot_be_had_is_refused_and_the_layer_is_named(
    no_user_namespaces: tuple[str, ...],
) -> None:
    message, missing = report_of(*no_user_namespaces, required="A")
    assert "isolation A was asked for" in message
    assert any("user namespace" in reason for reason in missing)


@pytest.mark.spec("SANDBOX 2.3")
def test_unsafe_serves_with_whatever_there_is(no_user_namespaces: tuple[str, ...]) -> None:
    report, cause = report_of(*no_user_namespaces, required="unsafe")
    assert report["level"] in ("B", "B-")
    assert cause == "violation"


@pytest.mark.spec("SANDBOX 2.5")
def test_an_unprivileged_user_gets_the_same_level() -> None:
    if os.geteuid() == 0 and processes.user_namespaces_work():
        prefix = ("unshare", "--user", "--map-user=65534", "--map-group=65534")
        report, cause = report_of(*prefix)
    else:
        report, cause = report_of()
    assert report["level"] == ("A" if processes.user_namespaces_work() else "B")
    assert cause == "violation"


@asynccontextmanager
async def spoiled(required: Required, **config: Json) -> AsyncGenerator[IsolationReport]:
    """The report of a fork server whose image spoils its own jail."""
    server = ForkServer(
        image="image_leaky", packages=("image_leaky",), config=config, required=required
    )
    with anyio.fail_after(30):
        try:
            yield await server.start()
        finally:
            await server.aclose()


@pytest.mark.spec("SANDBOX 2.4")
@pytest.mark.parametrize(("call", "probe"), [("socket", "socket"), ("openat", "open")])
async def test_a_jail_with_a_hole_is_found_out_and_refused(call: str, probe: str) -> None:
    with pytest.raises(SandboxUnavailableError, match=f"self-test: {probe}: "):
        async with spoiled("B-", call=call):
            pass


@pytest.mark.spec("SANDBOX 2.3")
async def test_a_jail_with_a_hole_counts_as_none_when_unsafe_is_asked_for() -> None:
    async with spoiled("unsafe", call="socket") as report:
        assert report.level == "none"
        assert dict(report.probes)["socket"] == "EMFILE"  # another layer still holds


@pytest.mark.spec("SANDBOX 2.3")
async def test_without_landlock_the_level_is_b_minus_and_the_default_refuses_it() -> None:
    async with spoiled("B-", no_landlock=True) as report:
        assert (report.level, report.landlock_abi) == ("B-", 0)
        assert any(reason.startswith("Landlock: ") for reason in report.missing)
    with pytest.raises(SandboxUnavailableError, match="this machine gives B-"):
        async with spoiled("B", no_landlock=True):
            pass
