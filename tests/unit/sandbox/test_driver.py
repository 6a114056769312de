"""The driver over the in-memory guest: answers that are given, and answers that nobody can read."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.lowlevel
import pytest
from anyio.lowlevel import checkpoint
from typing_extensions import override

from codemode.sandbox.answer import Answer
from codemode.sandbox.bridge.messages import CallOut
from codemode.sandbox.control import RunControl
from codemode.sandbox.driver import Driver
from codemode.sandbox.driving import make_run
from codemode.sandbox.errors import ToolCallError
from codemode.sandbox.limits import Limits
from codemode.sandbox.memory import MemorySandbox, Script, ScriptedGuest, Stage
from codemode.sandbox.program import Binding, Call, Handler, Outcome, Program
from codemode.sandbox.values import Json

pytestmark = pytest.mark.anyio


class Kept(Answer):
    """An answer that a test gives when it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.cancels = 0

    @override
    def cancel(self) -> None:
        self.cancels += 1
        if not self.is_given:
            self.fail(ToolCallError("f", "cancelled", "ABORTED"))


def native_loop() -> Any:
    """asyncio's, if that is what runs."""
    native: Any = anyio.lowlevel.current_token().native_token
    return native if hasattr(native, "create_future") else None


async def run(script: Script, handler: Handler) -> Outcome:
    with anyio.fail_after(5):
        return await MemorySandbox({"": script}).run(
            Program(source=""), {"f": Binding(handler=handler)}, Limits()
        )


@pytest.mark.spec("SANDBOX 4.1")
async def test_an_answer_is_delivered_whether_it_was_there_or_comes_later() -> None:
    answers = [Kept(), Kept(), Kept()]

    def handler(call: Call) -> Answer:
        answer = answers[call.number - 1]
        if call.number == 1:
            answer.give("at once")
        return answer

    async def script(stage: Stage) -> Json:
        heard: list[Json] = [await stage.call("f")]

        async def ask() -> None:
            try:
                heard.append(await stage.call("f"))
            except ToolCallError as error:
                heard.append(error.code)

        for answer in answers[1:]:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                await anyio.wait_all_tasks_blocked()
                if answer is answers[1]:
                    answer.give("later")
                else:
                    answer.fail(ToolCallError("f", "no", "DENIED"))
        return heard

    outcome = await run(script, handler)
    assert outcome.result == ["at once", "later", "DENIED"]
    assert [answer.cancels for answer in answers] == [0, 0, 0]


@pytest.mark.spec("SANDBOX 4.1")
async def test_answers_that_are_due_at_the_end_of_the_run_are_asked_for_and_awaited() -> None:
    answer = Kept()

    async def script(stage: Stage) -> Json:
        await stage._send(CallOut(id=1, name="f", line=None, arguments={}))  # pyright: ignore[reportPrivateUsage] -- a call that nobody awaits
        await anyio.wait_all_tasks_blocked()
        return 1

    outcome = await run(script, lambda call: answer)
    assert outcome.result == 1
    assert answer.cancels == 1


@pytest.mark.spec("SANDBOX 4.1")
async def test_a_call_that_ends_while_the_program_hands_over_its_files_is_not_answered() -> None:
    ended = anyio.Event()

    async def handler(call: Call) -> Json:
        while not driver.handover.files:
            await checkpoint()
        ended.set()
        return 1

    async def script(stage: Stage) -> Json:
        await stage._send(CallOut(id=1, name="f", line=None, arguments={}))  # pyright: ignore[reportPrivateUsage] -- a call that nobody awaits
        await stage.artifact("a", b"data")
        await ended.wait()
        await anyio.wait_all_tasks_blocked()
        return 2

    program = Program(source="", artifacts=("*",))
    bindings = {"f": Binding(handler=handler)}
    guest = ScriptedGuest()
    driver = Driver(guest, bindings, Limits(), None, RunControl())
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(guest.live, script)
            await driver.run(make_run(program, bindings, Limits(), policy="none"))
            guest.kill()
    guest.close()
    assert (driver.failure, driver.value, driver.handover.files) == (None, 2, {"a": b"data"})
    assert driver.bytes_out == 0


async def test_an_answer_can_be_awaited_and_giving_the_wait_up_cancels_it() -> None:
    answer = Kept()
    answer.give(3)
    assert await answer == 3
    abandoned = Kept()
    with anyio.CancelScope() as scope:
        scope.cancel()
        await abandoned
    assert abandoned.cancels == 1


def test_an_answer_tells_its_listener_once() -> None:
    answer, heard = Kept(), list[str]()
    answer.give(1)
    answer.then(lambda: heard.append("told"))
    answer.give(2)
    assert heard == ["told"]


@pytest.mark.spec("SANDBOX 1.8")
@pytest.mark.parametrize("end", ["exit", "cancel"])
async def test_a_handler_that_would_end_more_than_itself_ends_its_own_call_alone(end: str) -> None:
    loop = native_loop()
    cancelled = None if loop is None else loop.create_future()
    if cancelled is not None:
        cancelled.cancel()

    async def handler(call: Call) -> Json:
        if call.number == 2:
            return "still here"
        if end == "cancel" and cancelled is not None:
            await cancelled
        raise SystemExit(3)

    async def script(stage: Stage) -> Json:
        heard: list[Json] = []
        for _ in range(2):
            try:
                heard.append(await stage.call("f"))
            except ToolCallError as error:
                heard.append(error.code)
        return heard

    outcome = await run(script, handler)
    code = "ABORTED" if end == "cancel" and cancelled is not None else "TOOL_ERROR"
    assert outcome.result == [code, "still here"]
