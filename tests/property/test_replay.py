"""Whatever a program waits for, and whatever its tools' latencies and failures: it replays."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemode import ToolRuntime, tool
from codemode.runtime.audit.replay import Replay, replay
from codemode.runtime.errors import ToolError
from codemode.runtime.log import open_store
from codemode.runtime.log.journal import SqliteJournal, journal_path
from codemode.sandbox.local import LocalSandbox

pytestmark = pytest.mark.spec("AUDIT 3.2", "AUDIT 3.3")

HEAD = """
import asyncio, datetime, random, secrets, time, uuid
from concurrent.futures import FIRST_COMPLETED as FIRST, ThreadPoolExecutor, as_completed, wait

def plain(n):
    try:
        return tools.work(n=n)
    except ToolCallError as error:
        return f"{error.code} {n}"

async def one(n):
    try:
        return await tools.work(n=n)
    except ToolCallError as error:
        return f"{error.code} {n}"
    except asyncio.CancelledError:
        print("cancelled", n)
        raise
"""

#: What a program may do; `ns` are the numbers of its calls, `t` a time of the order of a latency.
STEPS = {
    "plain": "print([plain(n) for n in ns])",
    "clock": "print(time.time(), time.monotonic(), datetime.datetime.now(), time.perf_counter())",
    "chance": "print(random.random(), uuid.uuid4(), secrets.token_hex(4), random.Random().random())",
    "sets": "print({str(n) for n in ns}, frozenset(map(str, ns)), hash(str(ns)))",
    "sleep": "time.sleep(t); print(time.monotonic())",
    "spin": "end = time.monotonic() + t\nwhile time.monotonic() < end: pass\nprint('spun')",
    "gather": "print(asyncio.run(gather(ns)))",
    "completed": "asyncio.run(completed(ns))",
    "first": "asyncio.run(first(ns))",
    "timeout": "asyncio.run(timeout(ns, t))",
    "group": "asyncio.run(group(ns))",
    "poll": "asyncio.run(poll(ns))",
    "queue": "asyncio.run(queued(ns))",
    "pool": "pooled(ns)",
    "racing": "racing(ns)",
    "threads": "threaded(ns, t)",
}

ASYNC = """
import queue, threading

async def gather(ns):
    return await asyncio.gather(*(one(n) for n in ns))

async def completed(ns):
    for future in asyncio.as_completed([one(n) for n in ns]):
        print("completed", await future, time.time())

async def first(ns):
    tasks = [asyncio.create_task(one(n)) for n in ns]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    print(len(done), len(pending), [await task for task in done])
    for task in pending:
        task.cancel()

async def timeout(ns, t):
    try:
        async with asyncio.timeout(t):
            print(await gather(ns))
    except TimeoutError:
        print("timed out", time.monotonic())

async def group(ns):
    async def failing(n):
        if str(await one(n)).startswith("TOOL"):
            raise ValueError(n)
    try:
        async with asyncio.TaskGroup() as tasks:
            for n in ns:
                tasks.create_task(failing(n))
    except* ValueError as errors:
        print(errors.exceptions)

async def poll(ns):
    task = asyncio.create_task(gather(ns))
    turns = 0
    while not task.done():
        turns += 1
        await asyncio.sleep(0)
    print(turns, task.result())

async def queued(ns):
    waiting = asyncio.Queue()
    for n in ns:
        waiting.put_nowait(n)
    async def worker(name):
        while not waiting.empty():
            n = waiting.get_nowait()
            print(name, n, await one(n))
    await asyncio.gather(worker("a"), worker("b"))

def pooled(ns):
    with ThreadPoolExecutor(3) as pool:
        for future in as_completed([pool.submit(plain, n) for n in ns]):
            print("pooled", future.result())

def racing(ns):
    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(plain, n) for n in ns]
        done, _ = wait(futures, return_when=FIRST)
        print(sorted(str(future.result()) for future in done), len(done))

def threaded(ns, t):
    found = queue.Queue()
    threads = [threading.Thread(target=lambda n=n: found.put(plain(n))) for n in ns]
    for thread in threads:
        thread.start()
    try:
        while True:
            print("got", found.get(timeout=t))
    except queue.Empty:
        print("empty", time.monotonic())
    for thread in threads:
        thread.join()
"""

step = st.tuples(
    st.sampled_from(sorted(STEPS)),
    st.lists(st.integers(0, 99), min_size=1, max_size=6),
    st.sampled_from([0.0, 0.001, 0.004]),
)


@tool(effects={"read"})
async def work(n: int) -> dict[str, Any]:
    """Take a while, as long as chance will have it, and fail sometimes."""
    if n % 3:
        await anyio.sleep(random.random() * 0.008)
    if n % 7 == 5:
        raise ToolError("refused")
    return {"z": n, "a": [n / 2, {"y": None, "b": str(n)}]}


def program(steps: list[tuple[str, list[int], float]]) -> str:
    body = "".join(f"ns, t = {ns}, {t}\n{STEPS[name]}\n" for name, ns, t in steps)
    return textwrap.dedent(HEAD + ASYNC) + body + "[plain(1), random.random()]\n"


Twice = Callable[[str], Replay]


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twice]:
    """Record a program, then replay it: one runtime and one sandbox for all of them."""
    log = tmp_path_factory.mktemp("replay") / "log.sqlite"
    with start_blocking_portal() as portal:
        runtime = ToolRuntime([work], mode="code", log=log, journal="full")
        sandbox = LocalSandbox()
        with portal.wrap_async_context_manager(runtime):
            store = open_store(log, read_only=True)
            journal = SqliteJournal(journal_path(log), read_only=True)

            async def run(code: str) -> Replay:
                with anyio.fail_after(60):
                    result = await runtime.run_code(code)
                    assert not result.is_error, result.text
                    return await replay(store, journal, result.call_id, sandbox=sandbox)

            yield lambda code: portal.call(run, code)
            portal.call(sandbox.aclose)
            journal.close()
            store.close()


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(step, min_size=1, max_size=5))
def test_random_programs_over_random_tools_replay_identically(
    twice: Twice, steps: list[tuple[str, list[int], float]]
) -> None:
    replayed = twice(program(steps))
    assert replayed.verdict == "identical", replayed


@pytest.mark.parametrize("name", sorted(STEPS))
def test_each_way_of_waiting_replays_identically(twice: Twice, name: str) -> None:
    replayed = twice(program([(name, [5, 1, 4, 2, 12, 7], 0.003), (name, [3, 3, 10], 0.0)]))
    assert replayed.verdict == "identical", replayed
