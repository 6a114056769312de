"""The contract of `SandboxBackend`: what every implementation does, whatever runs the programs.

Each case is a program, and the script that stands for it in the in-memory twin.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from codemode.sandbox import (
    Binding,
    Call,
    Limits,
    LocalSandbox,
    Outcome,
    Program,
    RunControl,
    SandboxBackend,
    StopRunError,
    ToolCallError,
)
from codemode.sandbox.memory import MemorySandbox, Script, Stage
from codemode.sandbox.program import LogEntry

pytestmark = pytest.mark.anyio

SCRIPTS: dict[str, Script] = {}


def plays(source: str) -> Callable[[Script], str]:
    """Register the script that stands for `source`; the name becomes the source."""

    def register(script: Script) -> str:
        SCRIPTS[source] = script
        return source

    return register


@pytest.fixture(params=["local", "memory"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def backend(kind: str) -> AsyncGenerator[SandboxBackend]:
    made: SandboxBackend = LocalSandbox(spares=1) if kind == "local" else MemorySandbox(SCRIPTS)
    with anyio.fail_after(60):
        await made.start()
        try:
            yield made
        finally:
            await made.aclose()


async def run(
    kind: str, source: str, bindings: dict[str, Binding] | None = None, **options: Any
) -> Outcome:
    limits = options.pop("limits", Limits())
    async with backend(kind) as sandbox:
        return await sandbox.run(Program(source=source), bindings or {}, limits, **options)


def answering(function: Callable[[Call], Any]) -> Binding:
    async def handler(call: Call) -> Any:
        await anyio.lowlevel.checkpoint()
        return function(call)

    return Binding(handler=handler)


def raising(error: Exception) -> Binding:
    async def handler(call: Call) -> Any:
        await anyio.lowlevel.checkpoint()
        raise error

    return Binding(handler=handler)


@plays("print('a')\nreturn {'x': [1, 2.5, None, True, 'é']}")
async def PRINTS(stage: Stage) -> Any:
    await stage.print("a\n")
    return {"x": [1, 2.5, None, True, "é"]}


@pytest.mark.spec("SANDBOX 5.3")
async def test_a_run_gives_what_was_printed_and_the_result(kind: str) -> None:
    outcome = await run(kind, PRINTS)
    assert outcome.failure is None
    assert outcome.stdout == "a\n"
    assert outcome.has_result
    assert outcome.result == {"x": [1, 2.5, None, True, "é"]}


@plays("import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')\n")
async def STREAMS(stage: Stage) -> None:
    await stage.print("a\n")
    await stage.print("b\n", "stderr")
    await stage.print("c\n")


@pytest.mark.spec("SANDBOX 4.6")
async def test_output_is_streamed_in_order_with_the_name_of_its_stream(kind: str) -> None:
    seen: list[LogEntry] = []
    outcome = await run(kind, STREAMS, on_output=seen.append)
    assert [(entry.stream, entry.text) for entry in seen] == [
        ("stdout", "a\n"),
        ("stderr", "b\n"),
        ("stdout", "c\n"),
    ]
    assert outcome.logs == tuple(seen)
    assert not outcome.has_result


@plays("x = double(x=21)\nreturn x")
async def DOUBLES(stage: Stage) -> Any:
    return await stage.call("double", x=21)


async def test_a_binding_is_called_with_its_arguments_and_answers(kind: str) -> None:
    calls: list[Call] = []

    def double(call: Call) -> Any:
        calls.append(call)
        x: Any = call.arguments["x"]
        return x * 2

    outcome = await run(kind, DOUBLES, {"double": answering(double)})
    assert outcome.result == 42
    assert (calls[0].number, calls[0].name, calls[0].arguments) == (1, "double", {"x": 21})
    assert outcome.usage.calls == 1


@plays(
    "try:\n    fail(x=1)\nexcept ToolCallError as e:\n    return [e.tool_name, e.message, e.code]"
)
async def CATCHES(stage: Stage) -> Any:
    try:
        await stage.call("fail", x=1)
    except ToolCallError as error:
        return [error.tool_name, error.message, error.code]


@pytest.mark.spec("SANDBOX 4.7", "CODE_MODE 3.4")
async def test_a_tool_call_error_travels_with_its_code_and_can_be_caught(kind: str) -> None:
    outcome = await run(kind, CATCHES, {"fail": raising(ToolCallError("fail", "no", "DENIED"))})
    assert outcome.result == ["fail", "no", "DENIED"]


@pytest.mark.spec("CODE_MODE 3.4")
async def test_the_text_of_any_other_exception_never_reaches_the_program(kind: str) -> None:
    outcome = await run(kind, CATCHES, {"fail": raising(OSError("/home/host/secret"))})
    assert outcome.result == ["fail", "fail failed: OSError", "TOOL_ERROR"]


@pytest.mark.spec("CODE_MODE 2.4")
async def test_stop_run_ends_the_program_as_stopped(kind: str) -> None:
    outcome = await run(kind, CATCHES, {"fail": raising(StopRunError("enough"))})
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.message) == ("stopped", "enough")


@plays("fail(x=1)")
async def UNCAUGHT(stage: Stage) -> Any:
    return await stage.call("fail", x=1)


async def test_an_uncaught_failure_ends_the_program_and_names_it(kind: str) -> None:
    outcome = await run(kind, UNCAUGHT, {"fail": raising(ToolCallError("fail", "no", "DENIED"))})
    assert outcome.failure is not None
    assert outcome.failure.kind == "exception"
    assert outcome.failure.exception == "ToolCallError"
    assert "no" in outcome.failure.message


@plays("for i in range(3):\n    n(i=i)\nreturn 'end'")
async def THREE(stage: Stage) -> Any:
    for i in range(3):
        await stage.call("n", i=i)
    return "end"


@pytest.mark.spec("SANDBOX 3.1", "CODE_MODE 3.8")
async def test_passing_the_number_of_calls_ends_the_run_and_says_how_to_raise_it(kind: str) -> None:
    outcome = await run(kind, THREE, {"n": answering(lambda _: None)}, limits=Limits(calls=2))
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.limit) == ("call_limit", "calls")
    assert "Limits(calls=...)" in outcome.failure.message


async def test_lookups_are_not_counted(kind: str) -> None:
    async def handler(call: Call) -> Any:
        await anyio.lowlevel.checkpoint()

    lookup = Binding(handler=handler, is_lookup=True)
    outcome = await run(kind, THREE, {"n": lookup}, limits=Limits(calls=1))
    assert outcome.failure is None
    assert outcome.usage.calls == 0


@plays("print('before')\nprint('x' * 100)\nprint('after')")
async def TALKS(stage: Stage) -> None:
    for text in ("before\n", "x" * 100 + "\n", "after\n"):
        await stage.print(text)


@pytest.mark.spec("SANDBOX 3.3")
async def test_output_up_to_the_limit_is_kept(kind: str) -> None:
    outcome = await run(kind, TALKS, limits=Limits(output_bytes=20))
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.limit) == ("output_limit", "output_bytes")
    assert outcome.stdout == "before\n" + "x" * 13


@plays("print('before')\nwait()")
async def WAITS(stage: Stage) -> None:
    await stage.print("before\n")
    await stage.call("wait")


@pytest.mark.spec("SANDBOX 3.1", "SANDBOX 3.3")
async def test_the_wall_clock_ends_a_run_and_keeps_its_output(kind: str) -> None:
    cancelled = anyio.Event()

    async def wait(call: Call) -> Any:
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.set()

    outcome = await run(kind, WAITS, {"wait": Binding(handler=wait)}, limits=Limits(wall_s=0.2))
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.limit) == ("timeout", "wall_s")
    assert outcome.stdout == "before\n"
    assert cancelled.is_set()


@pytest.mark.spec("SANDBOX 3.1")
async def test_time_that_is_held_is_not_charged_to_the_wall_clock(kind: str) -> None:
    control = RunControl()

    async def wait(call: Call) -> Any:
        with control.hold():
            await anyio.sleep(0.6)

    outcome = await run(
        kind, WAITS, {"wait": Binding(handler=wait)}, limits=Limits(wall_s=0.5), control=control
    )
    assert outcome.failure is None
    assert outcome.usage.waiting_s >= 0.5


@pytest.mark.spec("SANDBOX 3.1")
async def test_the_total_wall_clock_counts_held_time(kind: str) -> None:
    control = RunControl()

    async def wait(call: Call) -> Any:
        with control.hold():
            await anyio.sleep_forever()

    outcome = await run(
        kind,
        WAITS,
        {"wait": Binding(handler=wait)},
        limits=Limits(wall_s=0.2, total_wall_s=0.5),
        control=control,
    )
    assert outcome.failure is not None
    assert outcome.failure.limit == "total_wall_s"


@pytest.mark.parametrize("reason", ["abort", "stopped"])
async def test_the_caller_can_end_a_run_with_a_reason(kind: str, reason: str) -> None:
    control = RunControl()

    async def wait(call: Call) -> Any:
        (control.abort if reason == "abort" else control.stop)("enough")
        await anyio.sleep_forever()

    outcome = await run(kind, WAITS, {"wait": Binding(handler=wait)}, control=control)
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.message) == (reason, "enough")
    assert outcome.stdout == "before\n"


@pytest.mark.spec("SANDBOX 1.8")
async def test_closing_ends_running_programs_as_abort(kind: str) -> None:
    async with backend(kind) as sandbox, anyio.create_task_group() as tasks:
        started = anyio.Event()

        async def wait(call: Call) -> Any:
            started.set()
            await anyio.sleep_forever()

        async def close() -> None:
            await started.wait()
            await sandbox.aclose()

        tasks.start_soon(close)
        bindings = {"wait": Binding(handler=wait)}
        outcome = await sandbox.run(Program(source=WAITS), bindings, Limits())
        assert outcome.failure is not None
        assert outcome.failure.kind == "abort"


async def test_a_closed_backend_refuses_to_run(kind: str) -> None:
    async with backend(kind) as sandbox:
        await sandbox.aclose()
        with pytest.raises(RuntimeError):
            await sandbox.run(Program(source=WAITS), {}, Limits())


async def test_cancelling_the_caller_ends_the_run_and_its_calls(kind: str) -> None:
    ended = anyio.Event()

    async with backend(kind) as sandbox:
        with anyio.CancelScope() as scope:

            async def wait(call: Call) -> Any:
                scope.cancel()
                try:
                    await anyio.sleep_forever()
                finally:
                    ended.set()

            await sandbox.run(Program(source=WAITS), {"wait": Binding(handler=wait)}, Limits())
        assert scope.cancelled_caught
        assert ended.is_set()


OVERLAP = """
import asyncio
return await asyncio.gather(*[slow(i=i) for i in range(5)])
"""


@plays(OVERLAP)
async def overlapping(stage: Stage) -> Any:
    results: dict[int, Any] = {}

    async def one(i: int) -> None:
        results[i] = await stage.call("slow", i=i)

    try:
        async with anyio.create_task_group() as tasks:
            for i in range(5):
                tasks.start_soon(one, i)
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [results[i] for i in range(5)]


async def test_calls_overlap_and_their_handlers_are_called_in_order(kind: str) -> None:
    numbers: list[int] = []
    together = anyio.Event()

    def slow(call: Call) -> Awaitable[Any]:
        numbers.append(call.number)
        if len(numbers) == 5:
            together.set()

        async def answer() -> Any:
            await together.wait()
            return call.arguments["i"]

        return answer()

    outcome = await run(kind, OVERLAP, {"slow": Binding(handler=slow)})
    assert outcome.failure is None
    assert outcome.result == [0, 1, 2, 3, 4]
    assert numbers == [1, 2, 3, 4, 5]


@pytest.mark.spec("SANDBOX 3.1")
async def test_too_many_outstanding_calls_fail_alone(kind: str) -> None:
    async def slow(call: Call) -> Any:
        await anyio.sleep_forever()

    outcome = await run(
        kind, OVERLAP, {"slow": Binding(handler=slow)}, limits=Limits(outstanding=4)
    )
    assert outcome.failure is not None
    assert outcome.failure.kind == "exception"
    assert "outstanding" in outcome.failure.message


@plays("return len(big(text='x' * 3_000_000))")
async def BIG(stage: Stage) -> Any:
    return len(await stage.call("big", text="x" * 3_000_000))


@pytest.mark.spec("SANDBOX 4.5")
async def test_values_larger_than_a_frame_go_both_ways(kind: str) -> None:
    big = answering(lambda call: call.arguments["text"])
    outcome = await run(kind, BIG, {"big": big})
    assert outcome.result == 3_000_000


@pytest.mark.spec("SANDBOX 3.1")
async def test_a_result_that_is_too_large_fails_the_call(kind: str) -> None:
    big = answering(lambda call: call.arguments["text"])
    outcome = await run(kind, BIG, {"big": big}, limits=Limits(result_bytes=1_000_000))
    assert outcome.failure is not None
    assert "result_bytes" in outcome.failure.message


@pytest.mark.spec("SANDBOX 3.1")
async def test_the_bytes_of_all_calls_are_limited(kind: str) -> None:
    big = answering(lambda call: call.arguments["text"])
    outcome = await run(kind, BIG, {"big": big}, limits=Limits(total_bytes=4_000_000))
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.limit) == ("limit", "total_bytes")


@pytest.mark.parametrize("value", [object(), float("nan"), {1: 2}, 1 << 64, "\ud800"])
async def test_a_result_that_is_not_json_is_the_bindings_fault(kind: str, value: Any) -> None:
    outcome = await run(kind, CATCHES, {"fail": answering(lambda _: value)})
    assert outcome.failure is None
    assert isinstance(outcome.result, list)
    name, _, code = outcome.result
    assert (name, code) == ("fail", "INVALID_TOOL_OUTPUT")


@pytest.mark.parametrize(
    "names", [["class"], ["print"], ["a.b", "a"], ["a-b"], [""], ["a."], ["ToolCallError"], ["__x"]]
)
@pytest.mark.spec("SANDBOX 4.7")
async def test_names_that_cannot_be_bound_are_misuse(kind: str, names: list[str]) -> None:
    bindings = {name: answering(lambda _: None) for name in names}
    async with backend(kind) as sandbox:
        with pytest.raises(ValueError, match="binding"):
            await sandbox.run(Program(source=WAITS), bindings, Limits())


@plays("return tools.list(x=1) + tools.github.get(x=2)")
async def NAMESPACES(stage: Stage) -> Any:
    return await stage.call("tools.list", x=1) + await stage.call("tools.github.get", x=2)


@pytest.mark.spec("SANDBOX 4.7")
async def test_dotted_names_make_namespaces(kind: str) -> None:
    same = answering(lambda call: call.arguments["x"])
    outcome = await run(kind, NAMESPACES, {"tools.list": same, "tools.github.get": same})
    assert outcome.result == 3


async def test_an_unknown_binding_is_refused_by_the_host_itself() -> None:
    async def script(stage: Stage) -> Any:
        return await stage.call("no.such")

    sandbox = MemorySandbox({"x": script})
    outcome = await sandbox.run(Program(source="x"), {}, Limits())
    assert outcome.failure is not None
    assert "UNKNOWN_TOOL" in outcome.failure.message
