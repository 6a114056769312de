"""Background work of tools: it outlives the call, and the loop can wait for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from logged import data_of, kinds, text_of
from loop_harness import OPEN, scripted

from codemode import ToolRuntime
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.definition import Tool
from codemode.runtime.execution import RunContext
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.loop import AssistantMessage, JobRun, Jobs, Message, UserMessage, call
from codemode.sandbox.values import Json
from codemode.sdkgen import ToolSpec

pytestmark = pytest.mark.anyio


class Indexing:
    """A tool that starts a job which ends when the test says so."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self.ids: list[str] = []
        self.go = anyio.Event()
        self.fails = False
        self.tool = Tool.raw(
            "index", "Index in the background.", OPEN, self._body, effects={"read"}
        )

    async def _body(self, arguments: Any, run: RunContext) -> str:
        job_id = self.jobs.start(run, self._work, title="indexing")
        self.ids.append(job_id)
        return job_id

    async def _work(self, job: JobRun) -> Json:
        job.emit("index/begun", {"files": 3})
        await self.go.wait()
        if self.fails:
            raise ValueError("the disk is full")
        return {"indexed": 3}


@pytest.mark.spec("PIPELINE 8.6")
async def test_the_loop_waits_for_a_job_and_tells_the_model_how_it_ended(
    checked_store: MemoryStore,
) -> None:
    async with Jobs() as jobs:
        indexing = Indexing(jobs)

        def release(_: Sequence[Message], __: Sequence[ToolSpec]) -> AssistantMessage:
            assert jobs.state(indexing.ids[0]) == "running"
            indexing.go.set()
            return AssistantMessage.of("I will wait.")

        async with ToolRuntime([indexing.tool], log=checked_store) as runtime:
            model = scripted([call("index")], release)
            async with runtime.agent(model, jobs=jobs) as agent:
                with anyio.fail_after(5):
                    turn = await agent.run("index it")
    assert (turn.ended, turn.text) == ("answered", "done")
    assert jobs.state(indexing.ids[0]) == "ok"
    assert jobs.value(indexing.ids[0]) == {"indexed": 3}
    last = model.requests[2][0][-1]
    assert isinstance(last, UserMessage)
    assert last.source == "job"
    (told,) = [m for m in data_of(checked_store, "user/message") if m["source"] == "job"]
    assert text_of(told["content"]).endswith('ended: ok\n{"indexed":3}')
    order = [kind for kind in kinds(checked_store) if kind.startswith(("job/", "index/", "tool/"))]
    assert order[:2] == ["tool/call", "job/started"]
    assert sorted(order[2:4]) == ["index/begun", "tool/result"]
    assert order[4:] == ["job/ended"]


@pytest.mark.spec("PIPELINE 8.6", "PIPELINE 15.1")
async def test_a_job_that_ends_between_turns_is_logged_and_told_in_the_next(
    checked_store: MemoryStore,
) -> None:
    async with Jobs() as jobs:
        indexing = Indexing(jobs)
        indexing.fails = True
        async with ToolRuntime([indexing.tool], log=checked_store) as runtime:
            model = scripted([call("index")], AssistantMessage.of("started"))
            source = CancelSource()
            async with runtime.agent(model, jobs=jobs) as agent:
                with anyio.fail_after(5):
                    async with anyio.create_task_group() as tasks:
                        tasks.start_soon(lambda: agent.run("index it", signal=source.signal))
                        await anyio.wait_all_tasks_blocked()
                        source.cancel("enough")
                    indexing.go.set()
                    await anyio.wait_all_tasks_blocked()
                    assert jobs.state(indexing.ids[0]) == "error"
                    turn = await agent.run("and now?")
    assert turn.number == 2
    told = [m for m in data_of(checked_store, "user/message") if m["source"] == "job"]
    assert "ended: error\nthe disk is full" in text_of(told[0]["content"])


@pytest.mark.spec("PIPELINE 8.6")
async def test_a_job_outlives_its_session_s_turn_and_has_a_cancel_of_its_own(
    checked_store: MemoryStore,
) -> None:
    async with Jobs() as jobs:
        indexing = Indexing(jobs)
        async with (
            ToolRuntime([indexing.tool], log=checked_store) as runtime,
            runtime.agent(scripted([call("index")])) as agent,
        ):
            assert (await agent.run("index it")).ended == "answered"
            (job_id,) = indexing.ids
            assert jobs.state(job_id) == "running"
            jobs.cancel(job_id, "not needed any more")
            with anyio.fail_after(5):
                await jobs.wait(agent.session)
    assert jobs.state(job_id) == "cancelled"
    (ended,) = data_of(checked_store, "job/ended")
    assert ended["data"]["reason"] == "not needed any more"


@pytest.mark.spec("PIPELINE 8.6")
async def test_an_already_cancelled_call_starts_no_job(checked_store: MemoryStore) -> None:
    source = CancelSource()
    async with Jobs() as jobs:

        async def body(arguments: Any, run: RunContext) -> str:
            source.cancel("stop")
            return jobs.start(run, never, title="never")

        async def never(job: JobRun) -> Json:
            raise AssertionError("it must not start")

        async with (
            ToolRuntime([Tool.raw("start", "Start.", OPEN, body)], log=checked_store) as runtime,
            runtime.agent(scripted([call("start")]), jobs=jobs) as agent,
        ):
            turn = await agent.run("go", signal=source.signal)
    assert turn.results[0].code == "ABORTED"
    assert data_of(checked_store, "job/started") == []


async def test_jobs_are_bounded_and_closing_cancels_what_runs() -> None:
    async with Jobs(max_running=1) as jobs:
        indexing = Indexing(jobs)
        async with ToolRuntime([indexing.tool]) as runtime:
            first = await runtime.execute("index", {})
            second = await runtime.execute("index", {})
        assert not first.is_error
        assert "1 jobs are running already" in second.text
        with pytest.raises(LookupError):
            jobs.state("job_0")
    assert jobs.state(indexing.ids[0]) == "cancelled"
    async with ToolRuntime([indexing.tool]) as runtime:
        assert "enter the jobs first" in (await runtime.execute("index", {})).text
