"""asyncio in a guest: the usual surface, over calls, on a loop that waits for the bridge alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from sandbox_runner import Run, running

from codemode.sandbox import Limits


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    with running() as run:
        yield run


async def slow(x: int) -> int:
    await anyio.sleep(0.005 * (x % 4))
    return x


async def hang() -> None:
    await anyio.sleep_forever()


BINDINGS: dict[str, Any] = {"slow": slow, "hang": hang}

PROGRAMS = {
    "gather": (
        "print(await asyncio.gather(slow(3), slow(1), asyncio.sleep(0.001, 'z')))",
        "[3, 1, 'z']",
    ),
    "gather with exceptions": (
        """
async def bad():
    raise ValueError("x")
print(await asyncio.gather(slow(1), bad(), return_exceptions=True))
""",
        "[1, ValueError('x')]",
    ),
    "task group": (
        """
async with asyncio.TaskGroup() as group:
    tasks = [group.create_task(slow(i)) for i in range(3)]
print([task.result() for task in tasks])
""",
        "[0, 1, 2]",
    ),
    "a task group that fails cancels the rest": (
        """
async def bad():
    await slow(1)
    raise ValueError("x")
try:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(hang())
        group.create_task(bad())
except ExceptionGroup as errors:
    print(len(errors.exceptions), task.cancelled())
""",
        "1 True",
    ),
    "wait_for": (
        """
try:
    await asyncio.wait_for(hang(), 0.01)
except asyncio.TimeoutError:
    print("late", await slow(2))
""",
        "late 2",
    ),
    "timeout": (
        """
try:
    async with asyncio.timeout(0.01):
        await hang()
except TimeoutError:
    print("late")
async with asyncio.timeout(5):
    print(await slow(1))
""",
        "late\n1",
    ),
    "wait keeps the order that was given": (
        """
tasks = [asyncio.create_task(asyncio.sleep(0.001 * i, i)) for i in range(8)]
done, pending = await asyncio.wait(tasks)
print([task.result() for task in done], len(pending))
done, pending = await asyncio.wait([asyncio.create_task(hang()), asyncio.create_task(slow(0))],
                                   return_when=asyncio.FIRST_COMPLETED)
print([task.result() for task in done], len(pending))
for task in pending:
    task.cancel()
""",
        "[0, 1, 2, 3, 4, 5, 6, 7] 0\n[0] 1",
    ),
    "as_completed": (
        """
print([await one for one in asyncio.as_completed([asyncio.sleep(0.02 * i, i) for i in (2, 0, 1)])])
print(sorted([await one for one in asyncio.as_completed([slow(2), slow(0), slow(1)])]))
""",
        "[0, 1, 2]\n[0, 1, 2]",
    ),
    "queue": (
        """
queue, out = asyncio.Queue(), []
async def worker():
    while True:
        item = await queue.get()
        out.append(await slow(item))
        queue.task_done()
workers = [asyncio.create_task(worker()) for _ in range(3)]
for i in range(9):
    queue.put_nowait(i)
await queue.join()
for one in workers:
    one.cancel()
await asyncio.gather(*workers, return_exceptions=True)
print(sorted(out))
""",
        "[0, 1, 2, 3, 4, 5, 6, 7, 8]",
    ),
    "semaphore, lock, event": (
        """
gate, lock, event, most, now = asyncio.Semaphore(2), asyncio.Lock(), asyncio.Event(), 0, 0
async def one(i):
    global most, now
    async with gate:
        now += 1
        most = max(most, now)
        await slow(i)
        async with lock:
            now -= 1
    if i == 4:
        event.set()
await asyncio.gather(*map(one, range(5)), event.wait())
print(most)
""",
        "2",
    ),
    "run inside a running loop": (
        """
log = []
async def background():
    for i in range(3):
        log.append(i)
        await asyncio.sleep(0.002)
async def inner():
    await asyncio.sleep(0.02)
    return await slow(3)
task = asyncio.create_task(background())
print(asyncio.run(inner()), bool(log))
print(asyncio.get_event_loop().run_until_complete(inner()))
await task
""",
        "3 True\n3",
    ),
    "to_thread and executors": (
        """
import time
from concurrent.futures import ThreadPoolExecutor
def work(x):
    time.sleep(0.002)
    return slow(x) * 10
loop = asyncio.get_running_loop()
print(await asyncio.gather(*(asyncio.to_thread(work, i) for i in range(4)),
                           loop.run_in_executor(None, work, 4)))
with ThreadPoolExecutor(2) as pool:
    print(await asyncio.gather(*(loop.run_in_executor(pool, work, i) for i in range(3))))
""",
        "[0, 10, 20, 30, 40]\n[0, 10, 20]",
    ),
    "a loop that spins sees answers": (
        """
flag = []
async def one():
    flag.append(await slow(1))
task = asyncio.create_task(one())
while not flag:
    await asyncio.sleep(0)
print(flag)
""",
        "[1]",
    ),
    "async for, async with, generators": (
        """
from contextlib import asynccontextmanager
@asynccontextmanager
async def around():
    print("in")
    yield await slow(1)
    print("out")
async def items():
    for i in range(3):
        yield await slow(i)
async with around() as x:
    print([i async for i in items()], x)
    async for i in items():
        print(i)
""",
        "in\n[0, 1, 2] 1\n0\n1\n2\nout",
    ),
    "cancelling": (
        """
task = asyncio.create_task(hang())
await asyncio.sleep(0)
task.cancel()
try:
    await task
except asyncio.CancelledError:
    print("cancelled", await slow(1))
""",
        "cancelled 1",
    ),
    "racing": (
        """
first = asyncio.create_task(slow(1))
second = asyncio.create_task(hang())
done, pending = await asyncio.wait({first, second}, return_when=asyncio.FIRST_COMPLETED)
for one in pending:
    one.cancel()
print(done.pop().result(), len(pending))
""",
        "1 1",
    ),
}


@pytest.mark.spec("SANDBOX 5.2", "SANDBOX 5.8")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("form", ["top level", "asyncio.run"])
def test_what_asyncio_programs_do_works(run: Run, name: str, form: str) -> None:
    body, expected = PROGRAMS[name]
    source = f"import asyncio\n{body}"
    if form == "asyncio.run":
        lines = "".join(
            f"    {line}\n"
            for line in body.replace("global most, now", "nonlocal most, now").splitlines()
        )
        source = f"import asyncio\nasync def main():\n{lines}\nasyncio.run(main())"
    outcome = run(source, bindings=BINDINGS, limits=Limits(wall_s=10))
    assert outcome.failure is None, outcome.failure
    assert outcome.stdout.strip() == expected


@pytest.mark.spec("SANDBOX 5.8")
@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("import asyncio\nasync def main():\n    await asyncio.Future()\nasyncio.run(main())", 3),
        ("import asyncio\nawait asyncio.Event().wait()", 2),
        (
            "import asyncio\nq = asyncio.Queue()\nasync def get():\n    return await q.get()\nawait get()",
            4,
        ),
        ("import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()", 4),
        ("import queue\nqueue.Queue().get()", 2),
    ],
)
def test_waiting_for_nothing_is_a_deadlock_that_names_the_line(
    run: Run, source: str, line: int
) -> None:
    outcome = run(source)
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.line) == ("deadlock", line)
    assert source.splitlines()[line - 1].strip() in outcome.failure.traceback


@pytest.mark.spec("SANDBOX 5.8")
def test_calls_of_a_gather_overlap(run: Run) -> None:
    together = anyio.Event()
    arrived: list[int] = []

    async def meet(i: int) -> int:
        arrived.append(i)
        if len(arrived) == 20:
            together.set()
        await together.wait()
        return i

    source = "import asyncio\nreturn await asyncio.gather(*(meet(i=i) for i in range(20)))"
    outcome = run(source, bindings={"meet": meet})
    assert outcome.result == list(range(20))
    assert arrived == list(range(20))


@pytest.mark.spec("SANDBOX 5.8")
def test_a_cancelled_call_is_cancelled_on_the_host(run: Run) -> None:
    cancelled: list[bool] = []

    async def wait() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.append(True)

    source = """
import asyncio
try:
    await asyncio.wait_for(wait(), 0.01)
except TimeoutError:
    pass
await done()
"""

    async def done() -> list[bool]:
        return cancelled

    outcome = run(source, bindings={"wait": wait, "done": done})
    assert outcome.failure is None
    assert outcome.result == [True]
