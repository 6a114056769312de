"""Who reads a guest: the task of a call that came alone reads on, and leaves nothing to the next."""

from __future__ import annotations

from contextvars import ContextVar

import anyio
import pytest

from codemode.sandbox.answer import Answer, Work
from codemode.sandbox.bridge.messages import CallOut, Out
from codemode.sandbox.errors import ToolCallError
from codemode.sandbox.limits import Limits
from codemode.sandbox.memory import MemorySandbox, Script, Stage
from codemode.sandbox.program import Binding, Call, Handler, LogEntry, OnOutput, Outcome, Program
from codemode.sandbox.values import Json

pytestmark = pytest.mark.anyio

MOOD: ContextVar[str] = ContextVar("mood", default="none")


async def run(script: Script, handler: Handler, on_output: OnOutput | None = None) -> Outcome:
    with anyio.fail_after(5):
        return await MemorySandbox({"": script}).run(
            Program(source=""), {"f": Binding(handler=handler)}, Limits(), on_output
        )


async def three_calls(stage: Stage) -> Json:
    return [await stage.call("f", n=n) for n in range(3)]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_calls_one_after_the_other_share_a_task_that_is_not_the_runs() -> None:
    tasks: list[int] = []

    async def handler(call: Call) -> Json:
        tasks.append(anyio.get_current_task().id)
        return call.arguments["n"]

    assert (await run(three_calls, handler)).result == [0, 1, 2]
    assert len(set(tasks)) == 1
    assert tasks[0] != anyio.get_current_task().id


@pytest.mark.spec("SANDBOX 4.1")
async def test_what_a_call_leaves_in_its_context_reaches_no_other_call() -> None:
    moods: list[str] = []

    async def handler(call: Call) -> Json:
        moods.append(MOOD.get())
        MOOD.set(f"set by {call.number}")
        return None

    token = MOOD.set("the caller's")
    try:
        await run(three_calls, handler)
    finally:
        MOOD.reset(token)
    assert moods == ["the caller's"] * 3


@pytest.mark.spec("SANDBOX 4.2")
async def test_a_call_that_waits_keeps_no_other_from_being_heard() -> None:
    may_end = anyio.Event()
    order: list[int] = []

    async def handler(call: Call) -> Json:
        if call.number == 1:
            await may_end.wait()
        elif call.number == 3:
            may_end.set()
        order.append(call.number)
        return call.number

    async def script(stage: Stage) -> Json:
        answers: dict[str, Json] = {}

        async def ask(name: str) -> None:
            answers[name] = await stage.call("f")

        async with anyio.create_task_group() as tasks:
            for name in ("waits", "follows", "frees"):
                tasks.start_soon(ask, name)
                await anyio.wait_all_tasks_blocked()
        answers["last"] = await stage.call("f")
        return answers

    outcome = await run(script, handler)
    assert outcome.result == {"waits": 1, "follows": 2, "frees": 3, "last": 4}
    assert order == [2, 3, 1, 4]


@pytest.mark.spec("SANDBOX 4.3")
async def test_a_call_that_is_given_up_while_it_runs_alone_is_asked_to_end() -> None:
    ended: list[str] = []

    async def handler(call: Call) -> Json:
        if call.number > 1:
            return "the next one"
        try:
            await anyio.sleep_forever()
            return None
        finally:
            ended.append("asked to end")

    async def script(stage: Stage) -> Json:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stage.call, "f")
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
        value: Json = await stage.call("f")
        return value

    assert (await run(script, handler)).result == "the next one"
    assert ended == ["asked to end"]


async def test_a_callers_listener_that_fails_fails_the_run_also_between_two_calls() -> None:
    def broken(entry: LogEntry) -> None:
        raise OSError(f"cannot show {entry.text!r}")

    async def handler(call: Call) -> Json:
        return None

    async def script(stage: Stage) -> Json:
        await stage.call("f")
        await stage.print("this")
        value: Json = await stage.call("f")
        return value

    fault = pytest.RaisesExc(OSError, match="cannot show 'this'")
    with pytest.RaisesGroup(fault, flatten_subgroups=True):  # the twin's own task groups
        await run(script, handler, broken)


async def test_a_listener_that_fails_leaves_no_call_that_came_with_its_piece_unheard() -> None:
    heard: list[int] = []

    def broken(entry: LogEntry) -> None:
        raise OSError("cannot show it")

    async def handler(call: Call) -> Json:
        heard.append(call.number)
        return None

    async def script(stage: Stage) -> Json:
        call = CallOut(id=1, name="f", line=None, arguments={})
        frames = [*stage._bridge.send(call), *stage._bridge.send(Out(stream="stdout", text="x"))]
        stage._socket.send(b"".join(frames))
        await anyio.sleep_forever()
        return None

    with pytest.RaisesGroup(OSError, flatten_subgroups=True):
        await run(script, handler, broken)
    assert heard == [1]


async def test_an_answer_with_work_of_its_own_is_worked_for_also_when_it_is_awaited() -> None:
    async with anyio.create_task_group() as tasks:

        async def work() -> None:
            answer.give("done")

        answer = Answer()
        answer.work = Work(work, tasks.start_soon)
        assert await answer == "done"


async def test_a_run_that_ends_with_a_call_under_way_asks_it_to_end() -> None:
    ended: list[int] = []

    async def handler(call: Call) -> Json:
        try:
            if call.number == 2:
                await anyio.sleep_forever()
        finally:
            ended.append(call.number)
        return None

    async def script(stage: Stage) -> Json:
        await stage.call("f")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stage.call, "f")
            await anyio.wait_all_tasks_blocked()
            raise ToolCallError("f", "the program fails", "OWN")
        return None

    outcome = await run(script, handler)
    assert outcome.failure is not None
    assert ended == [1, 2]
