"""Sync bodies in threads: a job that no thread took up before it was cancelled never runs."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import anyio.to_thread
import pytest

from codemode.runtime.clock import FakeClock
from codemode.runtime.threads import Job, Threads

pytestmark = pytest.mark.anyio


@pytest.mark.spec("PIPELINE 8.5", "CODE_MODE 2.5")
async def test_a_job_that_was_cancelled_before_a_thread_took_it_up_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: list[Callable[[], None]] = []
    waits = anyio.Event()

    async def busy(work: Callable[[], None], **_: object) -> None:
        """Every thread is busy: the work stays in the queue."""
        taken.append(work)
        waits.set()
        await anyio.sleep_forever()

    monkeypatch.setattr(anyio.to_thread, "run_sync", busy)
    ran: list[str] = []
    job = Job(lambda: ran.append("ran"), lambda _: None)
    threads = Threads(FakeClock(), drain_s=5.0, max_threads=1)
    with anyio.fail_after(5):  # the fake clock never reaches the drain deadline
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(threads.run, job)
            await waits.wait()
            tasks.cancel_scope.cancel()
    assert not job.is_given_up
    taken[0]()  # a thread that comes for it later
    assert (ran, job.is_done) == ([], False)
