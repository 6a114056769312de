"""Feeding a run from a record: nothing reaches a program before it asked for it, all in order."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from codemode.sandbox.bridge.messages import Timer
from codemode.sandbox.control import RunControl
from codemode.sandbox.errors import StopRunError, ToolCallError
from codemode.sandbox.limits import Limits
from codemode.sandbox.memory import MemorySandbox, Stage
from codemode.sandbox.program import Binding, Call, Outcome, Program
from codemode.sandbox.timeline import (
    Delivery,
    DeliveryKind,
    Playback,
    Recording,
    Resumption,
)
from codemode.sandbox.values import Json

pytestmark = pytest.mark.spec("AUDIT 3.3")


def a_delivery(kind: DeliveryKind, number: int, value: Json = None) -> Delivery:
    return Delivery(kind=kind, number=number, at=0.5, value=value)


def nobody(number: int, call: Call) -> None:
    """Nobody looks at the calls."""


def held(playback: Playback) -> Delivery | None:
    return playback.next


def test_a_delivery_waits_for_what_it_answers() -> None:
    record = [a_delivery("reply", 2), a_delivery("tick", 1), a_delivery("reply", 1)]
    playback = Playback(record, nobody)
    assert list(playback.called(1)) == []
    assert held(playback) == record[0]
    assert list(playback.called(2)) == record[:1]
    assert list(playback.armed(1)) == record[1:]
    assert held(playback) is None
    assert list(playback.called(3)) == []


class Recorded:
    """A run on the in-memory twin, and what a recording heard of it."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, Call]] = []
        self.deliveries: list[Delivery] = []

    async def run(self, script: Any, **handlers: Any) -> Outcome:
        control = RunControl()
        control.timeline = Recording(
            on_call=lambda number, call: self.calls.append((number, call)),
            on_delivery=self.deliveries.append,
        )
        return await run(script, control, **handlers)


async def run(script: Any, control: RunControl, **handlers: Any) -> Outcome:
    bindings = {
        name: Binding(handler=handler, is_lookup=name == "look")
        for name, handler in handlers.items()
    }
    with anyio.fail_after(10):
        return await MemorySandbox({"p": script}).run(
            Program(source="p", clock=1.0), bindings, Limits(), control=control
        )


async def echo(call: Call) -> Json:
    return call.arguments.get("x")


async def deny(call: Call) -> Json:
    raise ToolCallError("deny", "no", "DENIED")


async def stop(call: Call) -> Json:
    raise StopRunError("enough")


def never(call: Call) -> Any:
    raise AssertionError("a playback calls no handler")


async def script(stage: Stage) -> Json:
    found: list[Json] = [
        await stage.call("look", x=1),
        await stage.call("echo", x={"b": 1, "a": 2}),
    ]
    try:
        await stage.call("deny")
    except ToolCallError as error:
        found.append(f"{error.code}: {error.message}")
    return found


@pytest.mark.anyio
async def test_a_recording_hears_of_every_call_and_every_answer() -> None:
    recorded = Recorded()
    outcome = await recorded.run(script, look=echo, echo=echo, deny=deny)
    assert outcome.result == [1, {"b": 1, "a": 2}, "DENIED: no"]
    assert [(number, call.number, call.name) for number, call in recorded.calls] == [
        (1, 0, "look"),
        (2, 1, "echo"),
        (3, 2, "deny"),
    ]
    assert [(one.kind, one.number, one.value) for one in recorded.deliveries] == [
        ("reply", 1, 1),
        ("reply", 2, {"b": 1, "a": 2}),
        ("fault", 3, {"code": "DENIED", "message": "no"}),
    ]
    moments = [one.at for one in recorded.deliveries]
    assert moments == sorted(moments)


@pytest.mark.anyio
async def test_a_playback_gives_the_same_and_calls_nobody() -> None:
    recorded = Recorded()
    outcome = await recorded.run(script, look=echo, echo=echo, deny=deny)
    calls: list[tuple[int, Call]] = []
    control = RunControl()
    control.timeline = Playback(
        recorded.deliveries, lambda number, call: calls.append((number, call))
    )
    again = await run(script, control, look=never, echo=never, deny=never)
    assert again.result == outcome.result
    assert calls == recorded.calls


@pytest.mark.anyio
async def test_a_stop_is_played_too() -> None:
    async def stopping(stage: Stage) -> Json:
        answer: Json = await stage.call("stop")
        return answer

    recorded = Recorded()
    outcome = await recorded.run(stopping, stop=stop)
    assert [one.kind for one in recorded.deliveries] == ["stop"]
    control = RunControl()
    control.timeline = Playback(recorded.deliveries, nobody)
    again = await run(stopping, control, stop=never)
    assert again.failure == outcome.failure
    assert again.failure is not None
    assert (again.failure.kind, again.failure.message) == ("stopped", "enough")


async def resume(
    deliveries: list[Delivery], script: Any, **handlers: Any
) -> tuple[Outcome, Recorded]:
    """Go on from a record; what is recorded meanwhile is the whole run."""
    whole = Recorded()
    control = RunControl()
    control.timeline = Resumption(
        deliveries,
        Recording(
            on_call=lambda number, call: whole.calls.append((number, call)),
            on_delivery=whole.deliveries.append,
        ),
    )
    return await run(script, control, **handlers), whole


@pytest.mark.spec("AUDIT 3.4")
@pytest.mark.anyio
@pytest.mark.parametrize("known", range(4))
async def test_a_resumption_plays_what_it_has_and_calls_for_the_rest(known: int) -> None:
    recorded = Recorded()
    outcome = await recorded.run(script, look=echo, echo=echo, deny=deny)
    prefix = recorded.deliveries[:known]
    handlers = {"look": echo, "echo": echo, "deny": deny}
    played = dict.fromkeys(list(handlers)[:known], never)
    again, whole = await resume(prefix, script, **{**handlers, **played})
    assert again.result == outcome.result
    assert whole.calls == recorded.calls
    assert whole.deliveries[:known] == prefix
    told = [(one.kind, one.number, one.value) for one in recorded.deliveries]
    assert [(one.kind, one.number, one.value) for one in whole.deliveries] == told
    moments = [one.at for one in whole.deliveries]
    assert moments == sorted(moments), "its clock goes on from where the record ends"


@pytest.mark.spec("AUDIT 3.4")
@pytest.mark.anyio
async def test_calls_that_were_under_way_begin_in_their_order() -> None:
    async def overlapping(stage: Stage) -> Json:
        async def call(x: int) -> None:
            await stage.call("echo", x=x)

        async with anyio.create_task_group() as tasks:
            for x in range(3):
                tasks.start_soon(call, x)
        answer: Json = await stage.call("last")
        return answer

    begun: list[Json] = []

    def begin(call: Call) -> Any:
        begun.append(call.arguments["x"])
        return echo(call)

    async def last(call: Call) -> Json:
        return "end"

    outcome, whole = await resume([a_delivery("reply", 2, 1)], overlapping, echo=begin, last=last)
    first, _, third = (call.arguments["x"] for _, call in whole.calls[:3])
    assert (outcome.result, begun) == ("end", [first, third])
    assert [one.number for one in whole.deliveries] == [2, 1, 3, 4]


@pytest.mark.spec("AUDIT 3.4")
@pytest.mark.anyio
async def test_whoever_hears_of_a_call_can_end_the_run_before_it_begins() -> None:
    control = RunControl()
    control.timeline = Resumption(
        [],
        Recording(
            on_call=lambda number, call: control.abort("it differs"), on_delivery=lambda one: None
        ),
    )
    outcome = await run(script, control, look=never, echo=never, deny=never)
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.message) == ("abort", "it differs")


@pytest.mark.spec("AUDIT 3.4")
@pytest.mark.anyio
async def test_a_timer_that_was_running_has_what_is_left_of_it() -> None:
    async def waiting(stage: Stage) -> None:
        await stage._send(Timer(n=1, seconds=1_000.0))  # what a real guest would do
        await stage.call("echo", x=1)
        await heard.wait()

    heard = anyio.Event()
    ticks: list[Delivery] = []

    def hear(delivery: Delivery) -> None:
        if delivery.kind == "tick":
            ticks.append(delivery)
            heard.set()

    control = RunControl()
    control.timeline = Resumption(
        [Delivery(kind="reply", number=1, at=999.99, value=1)],
        Recording(on_call=nobody, on_delivery=hear),
    )
    outcome = await run(waiting, control, echo=never)
    assert outcome.failure is None
    assert [tick.number for tick in ticks] == [1]
    assert 999.99 < ticks[0].at < 1_999


@pytest.mark.spec("AUDIT 3.4")
@pytest.mark.anyio
async def test_a_call_that_the_program_had_cancelled_is_not_begun() -> None:
    begun: list[Call] = []

    async def begin(call: Call) -> Json:
        begun.append(call)
        return None

    async def cancelling(stage: Stage) -> Json:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: stage.call("begin"))
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
        answer: Json = await stage.call("echo", x="on")
        return answer

    recorded = [Delivery(kind="reply", number=2, at=0.5, value="recorded")]
    outcome, whole = await resume(recorded, cancelling, begin=begin, echo=never)
    assert (outcome.result, begun) == ("recorded", [])
    told = [(one.kind, one.number) for one in whole.deliveries]
    assert told in ([("reply", 2)], [("reply", 2), ("fault", 1)])
