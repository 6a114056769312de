"""A type checker that misbehaves: every way of it gives no findings and a reason, and no more."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from codemode.runtime.clock import FakeClock
from codemode.runtime.typecheck import Checked, Checker, TypeCheckUnavailableError
from codemode.runtime.typecheck.checker import MAX_PROGRAM_CHARS, MAX_WORKSPACES
from codemode.sdkgen import Sdk, ToolSpec, build_sdk

pytestmark = pytest.mark.anyio

SERVER = """
import json, os, sys
log = open({log!r}, "a", buffering=1)
log.write("started %s\\n" % sorted(os.environ))
def read():
    length = 0
    while (line := sys.stdin.buffer.readline()) not in (b"", b"\\r\\n"):
        if line.lower().startswith(b"content-length"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else sys.exit()
def write(**message):
    body = json.dumps(dict(message, jsonrpc="2.0")).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
    sys.stdout.buffer.flush()
while True:
    message = read()
    log.write(message["method"] + "\\n")
    if message["method"] == "initialize":
        write(id=message["id"], result={{"capabilities": {{"positionEncoding": "utf-32"}}}})
    if message["method"] == "textDocument/diagnostic":
        {answer}
"""
EMPTY = 'write(id=message["id"], result={"kind": "full", "items": []})'


@pytest.fixture
def command(tmp_path: Path) -> Callable[[str], list[str]]:
    def server(answer: str) -> list[str]:
        return [sys.executable, "-c", SERVER.format(log=str(tmp_path / "log"), answer=answer)]

    return server


def log(tmp_path: Path) -> list[str]:
    return (tmp_path / "log").read_text().splitlines()


def sdk(name: str = "f") -> Sdk:
    return build_sdk([ToolSpec(name, "", {"type": "object"})])


@pytest.mark.spec("SDK 6.1")
async def test_one_process_serves_every_check_and_has_nothing_of_the_hosts(
    command: Callable[[str], list[str]], tmp_path: Path
) -> None:
    async with Checker(command=command(EMPTY)) as checker:
        for name in ("f", "g", "f"):
            assert await checker.check(sdk(name), "print(1)") == Checked()
    lines = log(tmp_path)
    assert sum(line.startswith("started") for line in lines) == 1
    names = set(lines[0].removeprefix("started ").strip("[]").replace("'", "").split(", "))
    # The interpreter of this fake may add its own locale.
    assert names - {"LC_CTYPE"} == {"HOME", "XDG_CONFIG_HOME"}
    assert lines.count("workspace/didChangeWorkspaceFolders") == 2


@pytest.mark.spec("SDK 6.1")
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("os._exit(1)", "has died"),
        ("sys.stdout.buffer.write(b'garbage' * 1000); sys.stdout.buffer.flush()", "cannot be read"),
        ('write(id=message["id"], error={"code": 1})', "refused"),
        ('write(id=message["id"], result={"items": 3})', "no diagnostics"),
        ('write(id=message["id"], result={"items": [{}]})', "cannot be read"),
        ('write(id=message["id"], result={"items": [3]})', "cannot be read"),
    ],
)
async def test_a_broken_answer_gives_no_findings_and_the_next_check_works(
    command: Callable[[str], list[str]], tmp_path: Path, answer: str, reason: str
) -> None:
    mark = tmp_path / "broken"
    once = f"""if os.path.exists({str(mark)!r}): {EMPTY}
        else:
            open({str(mark)!r}, "w").close(); {answer}"""
    async with Checker(command=command(once)) as checker:
        first = await checker.check(sdk(), "print(1)")
        assert first.findings == ()
        assert reason in str(first.skipped)
        assert await checker.check(sdk(), "print(1)") == Checked()


@pytest.mark.spec("SDK 6.1")
async def test_a_check_that_takes_too_long_is_given_up(
    command: Callable[[str], list[str]], tmp_path: Path
) -> None:
    clock = FakeClock()
    found: list[Checked] = []
    async with Checker(command=command("pass"), clock=clock) as checker:

        async def check() -> None:
            found.append(await checker.check(sdk(), "print(1)"))

        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(check)
                path = anyio.Path(tmp_path / "log")
                while not await path.exists() or "diagnostic" not in await path.read_text():
                    await anyio.lowlevel.checkpoint()
                clock.advance(2)
    assert found == [Checked(skipped="the type check took longer than 2 s")]


async def test_a_cancelled_check_leaves_no_answer_for_the_next(
    command: Callable[[str], list[str]], tmp_path: Path
) -> None:
    async with Checker(command=command("pass")) as checker:
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(checker.check, sdk(), "print(1)")
                path = anyio.Path(tmp_path / "log")
                while not await path.exists() or "diagnostic" not in await path.read_text():
                    await anyio.lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
    assert sum(line.startswith("started") for line in log(tmp_path)) == 1


async def test_a_checker_that_cannot_be_started_gives_no_findings() -> None:
    async with Checker(command=["/no/such/checker"]) as checker:
        checked = await checker.check(sdk(), "print(1)")
    assert checked.findings == ()
    assert "cannot be started" in str(checked.skipped)


async def test_texts_that_are_not_checked_say_so(command: Callable[[str], list[str]]) -> None:
    async with Checker(command=command(EMPTY)) as checker:
        assert "longer" in str((await checker.check(sdk(), "#" * MAX_PROGRAM_CHARS + "#")).skipped)
        assert "not valid text" in str((await checker.check(sdk(), "'\ud800'")).skipped)


async def test_the_sdks_that_are_held_are_bounded(
    command: Callable[[str], list[str]], tmp_path: Path
) -> None:
    count = MAX_WORKSPACES + 2
    async with Checker(command=command(EMPTY)) as checker:
        for number in range(count):
            assert await checker.check(sdk(f"f{number}"), "print(1)") == Checked()
    assert log(tmp_path).count("workspace/didChangeWorkspaceFolders") == count + 2


async def test_without_the_package_the_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ty", None)
    with pytest.raises(TypeCheckUnavailableError, match=r"codemode\[typecheck\]"):
        Checker()
