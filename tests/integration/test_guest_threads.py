"""Threads and executors of a guest: no thread, and still everything overlaps that waits."""

from __future__ import annotations

from collections.abc import Iterator

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
    if x < 0:
        raise ValueError
    return x


PROGRAMS = {
    "threads that keep each other ready, a sleep and an event": (
        """
import queue, threading, time
stop, work, taken = threading.Event(), queue.Queue(maxsize=3), 0
def produce():
    while not stop.is_set(): work.put(1)
    work.put(None)
def consume():
    global taken
    while work.get() is not None: taken += 1
threads = [threading.Thread(target=produce), threading.Thread(target=consume)]
for thread in threads: thread.start()
time.sleep(0.02)
stop.set()
for thread in threads: thread.join()
print("done", taken > 0)
""",
        "done True",
    ),
    "loops that look until another thread has done something": (
        """
import queue, threading, time
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor() as pool:
    future = pool.submit(time.sleep, 0.01)
    while not future.done(): pass
def put(): time.sleep(0.01); results.put(1)
results = queue.Queue()
threading.Thread(target=put).start()
while results.empty(): pass
seen = 0
def count():
    global seen
    while not stop.is_set(): seen += 1
stop = threading.Event()
counter = threading.Thread(target=count)
counter.start()
time.sleep(0.01)
stop.set()
counter.join()
print(results.get(), seen > 0)
""",
        "1 True",
    ),
    "two threads at one lock, until a third says stop": (
        """
import threading, time
lock, stop, turns = threading.Lock(), False, [0, 0]
def work(me):
    while not stop:
        with lock: turns[me] += 1
threads = [threading.Thread(target=work, args=(me,)) for me in (0, 1)]
for thread in threads: thread.start()
time.sleep(0.02)
stop = True
for thread in threads: thread.join()
print(all(turns))
""",
        "True",
    ),
    "a lock that its holder may take again": (
        """
import threading
lock = threading.RLock()
print(lock.acquire(), lock.acquire(), type(lock), threading.stack_size(1 << 27))
lock.release()
with lock as held: print(held)
""",
        "True True <class '_thread.RLock'> 0\nTrue",
    ),
    "how threads are called": (
        """
import asyncio, threading
from concurrent.futures import ThreadPoolExecutor
def who(): return threading.current_thread().name
with ThreadPoolExecutor() as first: names = [first.submit(who).result()]
with ThreadPoolExecutor(thread_name_prefix="mine") as second: names.append(second.submit(who).result())
names.append(asyncio.run(asyncio.to_thread(who)))
names += [threading.Thread(name="a").name, threading.Timer(1, who).name, threading.Thread(target=who).name]
print(*names)
print(repr(threading.Thread(daemon=True)), type(threading.current_thread()).__name__)
""",
        "ThreadPoolExecutor-0_0 mine_0 asyncio_0 a Thread-1 Thread-2 (who)\n"
        "<Thread(Thread-3, initial daemon)> _MainThread",
    ),
    "a thread is a daemon as the one that made it, unless it is said before its start": (
        """
import threading
def parent(): print(threading.Thread().daemon)
thread = threading.Thread(target=parent, daemon=True)
thread.start()
waiting = threading.Thread(target=threading.Event().wait, args=(9,), daemon=True)
waiting.start()
try: waiting.daemon = False
except RuntimeError as error: print(error)
class Bare(threading.Thread):
    def __init__(self): pass
try: Bare().start()
except RuntimeError as error: print(error)
""",
        "True\ncannot set daemon status of active thread\nthread.__init__() not called",
    ),
    "a pool whose workers cannot be prepared": (
        """
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
with ThreadPoolExecutor(1, initializer=lambda: 1 / 0) as pool:
    for _ in range(2):
        try: pool.submit(pow, 2, 2).result()
        except BrokenExecutor as error: print(type(error).__name__)
""",
        "BrokenThreadPool\nBrokenThreadPool",
    ),
    "a timer that starts the next": (
        """
import threading, time
def tick(n):
    print(n, end=" ")
    if n < 4:
        threading.Timer(0.001, tick, [n + 1]).start()
tick(1)
while threading.active_count() > 1:
    time.sleep(0.001)
print("end")
""",
        "1 2 3 4 end",
    ),
    "threads that start others and end": (
        """
import threading, time
def work(n):
    time.sleep(0.001)
    print(n, end=" ")
    if n:
        for _ in range(2):
            threading.Thread(target=work, args=(n - 1,)).start()
threading.Thread(target=work, args=(2,)).start()
while threading.active_count() > 1:
    time.sleep(0.001)
""",
        "2 1 1 0 0 0 0",
    ),
    "map": (
        """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(max_workers=3) as pool:
    print(list(pool.map(slow, range(7))))
""",
        "[0, 1, 2, 3, 4, 5, 6]",
    ),
    "submit and as_completed": (
        """
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
pool = ThreadPoolExecutor(4)
futures = {pool.submit(slow, x): x for x in (3, 1, -1)}
lines = []
for future in as_completed(futures):
    try:
        lines.append(f"{futures[future]} {future.result()}")
    except ToolCallError as e:
        lines.append(f"{futures[future]} {e.code}")
print(sorted(lines))
done, pending = wait(futures)
print(len(done), len(pending))
pool.shutdown()
try:
    pool.submit(slow, 1)
except RuntimeError as e:
    print(e)
""",
        "['-1 TOOL_ERROR', '1 1', '3 3']\n3 0\ncannot schedule new futures after shutdown",
    ),
    "threads, a queue and a lock": (
        """
import queue, threading
results, lock, total = queue.Queue(), threading.Lock(), 0
def work(i):
    global total
    value = slow(i)
    with lock:
        total += value
    results.put((threading.current_thread().name, value))
threads = [threading.Thread(target=work, args=(i,), name=f"t{i}") for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(results.get() for _ in threads), total, threading.active_count())
""",
        "[('t0', 0), ('t1', 1), ('t2', 2), ('t3', 3)] 6 1",
    ),
    "events, conditions, semaphores, barriers, timers": (
        """
import threading
event, condition, ready = threading.Event(), threading.Condition(), []
threading.Timer(0.005, event.set).start()
print(event.wait(2), event.wait(0))
def producer():
    slow(1)
    with condition:
        ready.append(1)
        condition.notify_all()
threading.Thread(target=producer).start()
with condition:
    print(condition.wait_for(lambda: bool(ready), timeout=2))
gate = threading.BoundedSemaphore(1)
with gate:
    print(gate.acquire(timeout=0.005))
barrier, passed = threading.Barrier(3), []
def meet(i):
    barrier.wait()
    passed.append(i)
threads = [threading.Thread(target=meet, args=(i,)) for i in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(passed))
""",
        "True True\nTrue\nFalse\n[0, 1, 2]",
    ),
    "a thread's own data and its failure": (
        """
import threading
local = threading.local()
local.x = 1
def work():
    print(hasattr(local, "x"))
    raise ValueError("in a thread")
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(local.x, thread.is_alive())
""",
        "False\n1 False",
    ),
    "the end waits for threads but not for daemons": (
        """
import threading, time
def work():
    time.sleep(0.01)
    print("done")
def forever():
    while True:
        time.sleep(1)
threading.Thread(target=forever, daemon=True).start()
threading.Thread(target=work).start()
print("end")
""",
        "end\ndone",
    ),
    "sleeping overlaps": (
        """
import time
from concurrent.futures import ThreadPoolExecutor
began = time.monotonic()
with ThreadPoolExecutor(10) as pool:
    list(pool.map(time.sleep, [0.2] * 10))
print(0.19 < time.monotonic() - began < 1.5)
""",
        "True",
    ),
    "a loop of its own in each thread": (
        """
import asyncio, threading
out = []
async def main(i):
    out.append(await slow(i))
    await asyncio.sleep(0.001)
    out.append(asyncio.current_task() is not None)
threads = [threading.Thread(target=lambda i=i: asyncio.run(main(i))) for i in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(map(str, out)))
""",
        "['0', '1', '2', 'True', 'True', 'True']",
    ),
    "a spinning wait for a thread": (
        """
import threading
thread = threading.Thread(target=slow, args=(2,))
thread.start()
while thread.is_alive():
    pass
print("end")
""",
        "end",
    ),
}


@pytest.mark.spec("SANDBOX 5.8", "SDK 2.5")
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_threaded_programs_do_works(run: Run, name: str) -> None:
    source, expected = PROGRAMS[name]
    outcome = run(source, bindings={"slow": slow}, limits=Limits(wall_s=10))
    assert outcome.failure is None, outcome.failure
    assert outcome.stdout.strip() == expected


@pytest.mark.spec("SDK 2.5")
def test_calls_of_an_executor_overlap(run: Run) -> None:
    together = anyio.Event()
    arrived: list[int] = []

    async def meet(i: int) -> int:
        arrived.append(i)
        if len(arrived) == 8:
            together.set()
        await together.wait()
        return i

    source = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    return list(pool.map(lambda i: meet(i=i), range(8)))
"""
    outcome = run(source, bindings={"meet": meet})
    assert outcome.result == list(range(8))


def test_a_threads_failure_is_printed_with_the_programs_lines(run: Run) -> None:
    source = "import threading\ndef work():\n    1 / 0\nt = threading.Thread(target=work, name='w')\nt.start()\n"
    outcome = run(source)
    assert outcome.failure is None
    assert outcome.stderr.startswith("Exception in thread w:\nTraceback")
    assert 'File "program.py", line 3, in work' in outcome.stderr
    assert "sandbox" not in outcome.stderr
