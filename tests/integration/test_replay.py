"""A recorded program runs again without its tools, and comes to the same."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from replaying import Case

from codemode import Limits, ToolRuntime, tool
from codemode.runtime.audit.verify import verify
from codemode.runtime.errors import MisuseError, ToolError
from codemode.runtime.execution import Execution
from codemode.runtime.log import COMMON_SECRETS, Redactor, open_store, read_events
from codemode.runtime.log.journal import SqliteJournal
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.policy import Stop
from codemode.sandbox.control import RunControl
from codemode.sandbox.isolation import IsolationReport
from codemode.sandbox.local import LocalSandbox
from codemode.sandbox.program import Binding, OnOutput, Outcome, Program

pytestmark = [pytest.mark.anyio, pytest.mark.spec("AUDIT 2.4", "AUDIT 3.2")]

SECRET = "ghp_" + "a" * 36
TAKEN: list[int] = []


@tool(effects={"read"})
async def double(x: int) -> int:
    """Double a number, the later the smaller it is."""
    TAKEN.append(x)
    await anyio.sleep(0.02 / (x + 1))
    if x % 5 == 3:
        raise ToolError(f"{x} is refused")
    return x * 2


@tool(effects={"read"})
async def facts(name: str) -> dict[str, Any]:
    """Facts in an order of their own."""
    return {"z": name, "a": [1, 1.0, None], "m": {"y": 1, "b": 2}}


TOOLS = (double, facts)

EVERYTHING = """
import asyncio, datetime, random, secrets, time, uuid
from concurrent.futures import ThreadPoolExecutor, as_completed

def safe(x):
    try:
        return tools.double(x=x)
    except ToolCallError as error:
        return str(error)

async def later(x):
    try:
        return await tools.double(x=x)
    except ToolCallError as error:
        return str(error)

async def main():
    print(await asyncio.gather(*(later(x) for x in range(6))))
    for one in asyncio.as_completed([later(x) for x in range(5)]):
        print("completed", await one)
    tasks = [asyncio.create_task(later(x)) for x in (1, 2, 6)]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    print(len(done), len(pending), [await task for task in tasks])
    try:
        await asyncio.wait_for(later(0), 0.002)
    except asyncio.TimeoutError:
        print("timed out")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        tasks = [group.create_task(later(x)) for x in range(3)]
    print([task.result() for task in tasks])

asyncio.run(main())
with ThreadPoolExecutor(3) as pool:
    for future in as_completed([pool.submit(safe, x) for x in range(6)]):
        print("pooled", future.result())
time.sleep(0.005)
print(random.random(), random.Random().random(), uuid.uuid4(), secrets.token_hex(8))
print(time.time(), time.monotonic(), time.perf_counter(), datetime.datetime.now())
print({"a", "b", "c", "d"}, hash("x"), tools.facts(name="n"))
print(catalog.search("double", limit=1))
{"result": safe(4), "random": random.sample(range(100), 5)}
"""


@pytest.mark.spec("AUDIT 3.1", "AUDIT 3.3", "CODE_MODE 6.6")
async def test_everything_a_program_can_wait_for_replays_identically(tmp_path: Path) -> None:
    case = Case(tmp_path)
    result = await case.record(EVERYTHING, TOOLS)
    assert not result.is_error, result.text
    TAKEN.clear()
    replayed = await case.replay(result.call_id)
    assert (replayed.verdict, replayed.difference, replayed.exit_status) == ("identical", None, 0)
    assert replayed.calls == 6 + 5 + 3 + 1 + 3 + 6 + 2 + 1
    assert TAKEN == []  # no tool ran


async def test_a_failure_replays_with_its_traceback(tmp_path: Path) -> None:
    case = Case(tmp_path)
    code = "print('before')\nx = tools.double(x=1)\n[1, 2][x + 5]\n"
    result = await case.record(code, TOOLS)
    assert result.is_error
    replayed = await case.replay(result.call_id)
    assert replayed.verdict == "identical"
    assert replayed.calls == 1


async def test_a_program_gets_the_limits_that_it_had(tmp_path: Path) -> None:
    case = Case(tmp_path)
    limits = Limits(memory_bytes=600 << 20)
    result = await case.record("len(bytearray(400 << 20))", limits=limits)
    assert not result.is_error, result.text
    assert (await case.replay(result.call_id)).verdict == "identical"


async def test_files_notices_and_artifacts_are_part_of_the_record(tmp_path: Path) -> None:
    case = Case(tmp_path)
    code = (
        "data = open('in.bin', 'rb').read() + open('in.txt').read().encode()\n"
        "open('out.bin', 'wb').write(data[::-1])\n"
        "try:\n    tools.double(y=1)\nexcept ToolCallError as error:\n    print(error)\n"
    )
    result = await case.record(
        code, TOOLS, files={"in.bin": b"\xff\x00", "in.txt": "é".encode()}, artifacts=("out.bin",)
    )
    assert not result.is_error, result.text
    assert (await case.replay(result.call_id)).verdict == "identical"


@pytest.mark.spec("AUDIT 3.3")
async def test_addresses_are_masked(tmp_path: Path) -> None:
    case = Case(tmp_path)
    result = await case.record("tools.double(x=1)\nprint(object(), {object()})", TOOLS)
    assert (await case.replay(result.call_id)).verdict == "identical"


class Altered:
    """A sandbox that runs something else than it is given, as another version might."""

    def __init__(self, old: str, new: str) -> None:
        self._inner = LocalSandbox()
        self._change = (old, new)

    @property
    def isolation(self) -> IsolationReport:
        return self._inner.isolation

    async def start(self) -> None:
        await self._inner.start()

    async def run(
        self,
        program: Program,
        bindings: Mapping[str, Binding],
        limits: Limits,
        on_output: OnOutput | None = None,
        control: RunControl | None = None,
    ) -> Outcome:
        program = replace(program, source=program.source.replace(*self._change))
        return await self._inner.run(program, bindings, limits, on_output, control)

    async def aclose(self) -> None:
        await self._inner.aclose()


@pytest.mark.parametrize(
    ("old", "new", "what", "same"),
    [
        ("x=2", "x=7", "call 2", 1),
        ("double(x=1)", "facts(name='a')", "call 1", 0),
        ("tools.double(x=2)", "0", "call 2", 1),
        ("'end'", "tools.double(x=9)", "call 3", 2),
        ("'out'", "'other'", "output, line 1", 2),
        ("'end'", "'other'", "the result", 2),
        ("'end'", "1 / 0", "the failure", 2),
    ],
)
async def test_the_first_divergence_is_named_with_both_sides(
    tmp_path: Path, old: str, new: str, what: str, same: int
) -> None:
    case = Case(tmp_path)
    code = "a = tools.double(x=1)\nb = tools.double(x=2)\nprint('out')\n'end'\n"
    result = await case.record(code, TOOLS)
    replayed = await case.replay(result.call_id, Altered(old, new))
    assert (replayed.verdict, replayed.exit_status) == ("diverged", 1)
    assert replayed.difference is not None
    assert (replayed.difference.what, replayed.calls) == (what, same)
    assert replayed.difference.recorded != replayed.difference.replayed


async def test_a_call_differs_in_its_arguments(tmp_path: Path) -> None:
    case = Case(tmp_path)
    result = await case.record("tools.double(x=2)", TOOLS)
    replayed = await case.replay(result.call_id, Altered("x=2", "x=7"))
    assert replayed.as_json()["difference"] == {
        "what": "call 1",
        "recorded": {"name": "tools.double", "line": 1, "arguments": {"x": 2}},
        "replayed": {"name": "tools.double", "line": 1, "arguments": {"x": 7}},
    }


# --- runs that were ended from outside ------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("print(tools.double(x=1))\nwhile True: pass", Limits(wall_s=0.5)),
        ("print(tools.double(x=1))\nimport time\ntime.sleep(30)", Limits(wall_s=0.5)),
        ("print(tools.double(x=1))\nx = []\nwhile True: x.append('x' * 1000000)", Limits()),
    ],
)
async def test_a_run_that_a_limit_ended_is_compared_up_to_there(
    tmp_path: Path, code: str, limits: Limits
) -> None:
    case = Case(tmp_path)
    result = await case.record(code, TOOLS, limits=limits)
    assert result.is_error
    with anyio.fail_after(25):
        replayed = await case.replay(result.call_id)
    assert (replayed.verdict, replayed.calls) == ("identical", 1)
    assert "ended from outside" in replayed.notes[0]


def stop_at_facts(call: Execution) -> Stop | None:
    return Stop("enough") if call.name == "facts" else None


async def test_a_run_that_a_policy_stopped_replays(tmp_path: Path) -> None:
    case = Case(tmp_path)
    code = "print(tools.double(x=1))\ntools.facts(name='stop')\nprint('never')"
    result = await case.record(code, TOOLS, policies=[stop_at_facts])
    assert result.stops_turn == "enough"
    replayed = await case.replay(result.call_id)
    assert (replayed.verdict, replayed.calls) == ("identical", 2)


@pytest.mark.parametrize(
    "code",
    [
        "for i in range(9):\n    print(tools.double(x=1))",
        "print('x' * 5000)\nprint('never')",
        "try:\n    tools.double(x='y' * 3000)\nexcept ToolCallError as error:\n    print(error.code)",
    ],
)
async def test_limits_that_the_program_itself_passes_replay(tmp_path: Path, code: str) -> None:
    case = Case(tmp_path)
    limits = Limits(calls=5, output_bytes=4000, argument_bytes=1000)
    result = await case.record(code, TOOLS, limits=limits)
    replayed = await case.replay(result.call_id)
    assert (replayed.verdict, replayed.notes) == ("identical", ())


# --- what cannot be replayed -----------------------------------------------------------------------


@pytest.mark.spec("AUDIT 3.1")
@pytest.mark.parametrize(("journal", "reason"), [("off", "no journal"), ("digest", "digests only")])
async def test_without_values_there_is_no_replay_and_it_says_how_to_have_one(
    tmp_path: Path, journal: str, reason: str
) -> None:
    case = Case(tmp_path)
    result = await case.record("print(tools.double(x=1))", TOOLS, journal=journal)
    replayed = await case.replay(result.call_id)
    assert (replayed.verdict, replayed.exit_status) == ("impossible", 2)
    assert reason in replayed.reason
    assert "ToolRuntime(journal='full')" in replayed.reason


async def test_an_unknown_call_is_no_run(tmp_path: Path) -> None:
    case = Case(tmp_path)
    await case.record("1")
    replayed = await case.replay("call_x")
    assert (replayed.verdict, replayed.reason[-21:]) == (
        "impossible",
        "no run of a call call_x"[-21:],
    )


async def test_a_redacted_record_holds_no_secret_and_feeds_no_replay(tmp_path: Path) -> None:
    case = Case(tmp_path)

    @tool(effects={"read"})
    async def token() -> str:
        """A secret."""
        return SECRET

    result = await case.record("print(tools.token())", [token], redact=Redactor(COMMON_SECRETS))
    replayed = await case.replay(result.call_id)
    assert replayed.verdict == "impossible"
    assert "redacted" in replayed.reason
    assert not [file.name for file in files_of(tmp_path) if SECRET.encode() in file.read_bytes()]


# --- tampering -------------------------------------------------------------------------------------


def files_of(folder: Path) -> list[Path]:
    return [file for file in folder.iterdir() if file.is_file()]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with one recorded run, and the call's id."""
    folder = tmp_path_factory.mktemp("original")
    code = "print(tools.double(x=1))\ntools.facts(name='n')"
    return folder, anyio.run(Case(folder).record, code, TOOLS).call_id


@pytest.fixture
def recorded(original: tuple[Path, str], tmp_path: Path) -> tuple[Case, str]:
    """A copy of it, to be changed."""
    folder, call_id = original
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return Case(tmp_path), call_id


@pytest.mark.spec("AUDIT 3.1")
@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # nothing runs: it is refused before
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET value = '3' WHERE kind = 'reply' AND CAST(value AS TEXT) = '2'",
        "UPDATE entry SET value = '{' WHERE kind = 'end'",
        "UPDATE entry SET value = NULL, digest = NULL WHERE kind = 'reply'",
        "UPDATE entry SET value = NULL WHERE kind = 'reply'",
        "UPDATE run SET head = '00'",
        "UPDATE entry SET kind = 'fault' WHERE kind = 'reply'",
        "UPDATE entry SET subject = 9 WHERE kind = 'reply'",
        "UPDATE run SET mode = 'digest'",
        "UPDATE run SET facts = '[]'",
        "UPDATE entry SET at = at + 1 WHERE kind = 'reply'",
        "UPDATE entry SET value = replace(value, 'n', 'm') WHERE kind = 'call'",
        "UPDATE entry SET value = replace(value, '2', '3') WHERE kind = 'end'",
        "DELETE FROM entry WHERE number = 2",
        "UPDATE entry SET number = -number; UPDATE entry SET number = number + 10",
        "INSERT INTO entry SELECT session, call_id, 99, kind, subject, at, digest, value"
        " FROM entry WHERE number = 2",
        "UPDATE run SET facts = replace(facts, '\"seed\":', '\"seed\":1')",
        "UPDATE run SET began = began + 1",
        "UPDATE grants SET value = replace(value, 'double', 'triple')",
    ],
)
async def test_a_changed_journal_is_found(recorded: tuple[Case, str], change: str) -> None:
    case, call_id = recorded
    connection = sqlite3.connect(case.journal)
    connection.executescript(change)
    connection.close()
    replayed = await case.replay(call_id)
    assert (replayed.verdict, replayed.exit_status) == ("tampered", 1), replayed.reason


@pytest.mark.parametrize(
    ("old", "new"),
    [("print(", "Print("), ('"content":[{"text":"2', '"content":[{"text":"3')],
    ids=["program", "result"],
)
async def test_a_changed_log_is_found(recorded: tuple[Case, str], old: str, new: str) -> None:
    case, call_id = recorded
    connection = sqlite3.connect(case.log)
    (before,) = connection.execute("SELECT group_concat(hex(body)) FROM event").fetchone()
    connection.execute(
        "UPDATE event SET body = CAST(replace(CAST(body AS TEXT), ?, ?) AS BLOB)", (old, new)
    )
    (after,) = connection.execute("SELECT group_concat(hex(body)) FROM event").fetchone()
    connection.commit()
    connection.close()
    assert before != after
    replayed = await case.replay(call_id)
    assert (replayed.verdict, replayed.exit_status) == ("tampered", 1), replayed.reason


# --- how runs are journaled ------------------------------------------------------------------------


@pytest.mark.spec("AUDIT 3.1", "AUDIT 3.3")
async def test_the_log_holds_seed_clock_and_the_journals_digest(
    recorded: tuple[Case, str],
) -> None:
    case, call_id = recorded
    assert (await case.replay(call_id)).verdict == "identical"
    store = open_store(case.log, read_only=True)
    (session,) = store.sessions()
    data = {event.type: event.data for event in read_events(store, session)}
    assert verify(store, session).ok
    store.close()
    start = data["tool/code-run-start"]
    journal = SqliteJournal(case.journal, read_only=True)
    run = journal.run(session, start["call_id"])
    assert run is not None
    assert (run.seed, run.clock) == (start["seed"], start["clock"])
    assert data["tool/code-run"]["journal_sha256"] == journal.head(run)
    journal.close()


@pytest.mark.spec("AUDIT 3.1")
async def test_without_a_journal_chance_is_real_and_no_seed_is_logged(tmp_path: Path) -> None:
    case = Case(tmp_path)
    code = "import random, secrets\n[random.random(), secrets.token_hex()]"
    values: list[Any] = [
        (await case.record(code, journal="off")).value["result"]  # type: ignore[index,call-overload]
        for _ in range(2)
    ]
    assert values[0] != values[1]
    store = open_store(case.log, read_only=True)
    for session in store.sessions():
        for event in read_events(store, session):
            assert "seed" not in event.data
            assert "journal_sha256" not in event.data
    store.close()


async def test_a_journal_needs_a_log_and_a_place() -> None:
    with pytest.raises(MisuseError, match="belongs to a session log"):
        ToolRuntime(journal="full")
    with pytest.raises(MisuseError, match="journal_file"):
        ToolRuntime(log=MemoryStore(), journal="full")


async def test_a_journal_that_cannot_be_written_ends_the_run(tmp_path: Path) -> None:
    case = Case(tmp_path)
    async with ToolRuntime(TOOLS, mode="code", log=case.log, journal="full") as runtime:
        connection = sqlite3.connect(case.journal)
        connection.execute("DROP TABLE entry")
        connection.close()
        result = await runtime.run_code("for i in range(200):\n    tools.facts(name='n')")
    assert result.is_error
    assert "the run journal cannot be written" in result.text


@pytest.mark.spec("AUDIT 3.3")
async def test_the_virtual_clock_moves_with_what_happens_and_never_stands_still(
    tmp_path: Path,
) -> None:
    case = Case(tmp_path)
    code = (
        "import time\n"
        "a = time.monotonic(); time.sleep(0.03); b = time.monotonic()\n"
        "tools.double(x=0); c = time.monotonic()\n"
        "while time.monotonic() < c + 0.02: pass\n"
        "d = time.monotonic(); e = time.monotonic()\n"
        "[b - a >= 0.03, c - b >= 0.02, d - c >= 0.02, e > d, abs(time.time() - %d) < 60]\n"
    )
    result = await case.record(code % int(time.time()), TOOLS)
    assert not result.is_error, result.text
    assert result.value["result"] == [True] * 5  # type: ignore[index,call-overload]
