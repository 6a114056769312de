"""Programs against real tools through the real pipeline, sandbox and log."""

from __future__ import annotations

import asyncio  # noqa: TID251 - `Task.cancel` is what a host without anyio uses
import json
from collections.abc import Iterable
from typing import Any, Literal

import anyio
import pytest
from logged import data_of, events, kinds

from codemode import Limits, ToolRuntime, tool
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.content import Image, Text, plain_text
from codemode.runtime.definition import Output
from codemode.runtime.errors import MisuseError, ToolError
from codemode.runtime.execution import CallRequest, Execution, RunContext
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.policy import Ask, Block, BodyOutcome, Deny, PreDecision, PrePolicy, Stop
from codemode.runtime.result import Result

pytestmark = pytest.mark.anyio


@tool(effects={"read"})
async def double(x: int) -> int:
    """Double a number."""
    return x * 2


@tool(effects={"write"})
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool(effects={"read"})
async def fail(message: str) -> None:
    """Fail on purpose."""
    raise ToolError(message)


def on_payment(decision: PreDecision) -> PrePolicy:
    """A policy that has this to say of each call of `pay`, and nothing of others."""
    return lambda execution: decision if execution.name == "pay" else None


async def run(code: str, tools: Iterable[Any] = (double, pay, fail), **options: Any) -> Result:
    async with ToolRuntime(tools, mode="code", **options) as runtime:
        return await runtime.run_code(code)


@pytest.mark.spec("CODE_MODE 2.2", "CODE_MODE 2.3", "CODE_MODE 3.4")
async def test_a_program_calls_tools_and_the_model_reads_output_and_result() -> None:
    result = await run("print(tools.double(x=21))\n{'n': tools.double(x=1)}")
    assert not result.is_error
    assert result.value == {"logs": [{"stream": "stdout", "text": "42\n"}], "result": {"n": 2}}
    assert result.text == '42\n{"n": 2}'


@pytest.mark.spec("CODE_MODE 2.2")
async def test_no_result_and_a_result_of_none_are_told_apart() -> None:
    assert "result" not in (await run("print(1)")).value  # type: ignore[operator]
    assert (await run("return None")).value == {"logs": [], "result": None}


@pytest.mark.spec("CODE_MODE 2.4", "CODE_MODE 2.5")
async def test_a_failure_tells_the_kind_the_line_the_output_and_the_effects() -> None:
    result = await run("print('before')\ntools.pay(amount=5)\ntools.double(x=1)\n1 / 0\n")
    assert result.is_error
    assert result.error_info is not None
    assert (result.error_info.code, result.error_info.kind) == ("CODE_RUN_FAILED", "exception")
    assert 'File "program.py", line 4, in <module>' in result.text
    assert "ZeroDivisionError: division by zero" in result.text
    assert "Printed before the failure:\nbefore" in result.text
    assert "- call 1: pay (completed)" in result.text
    assert "codemode" not in result.text


@pytest.mark.spec("CODE_MODE 2.4")
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("if True print(1)", "syntax"),
        ("len.__globals__", "policy"),
        ("1 / 0", "exception"),
        ("while True: pass", "timeout"),
        ("x = 'x' * 300_000_000\nprint(len(x))", "memory_limit"),
        ("while True: print('x' * 1000)", "output_limit"),
        ("for i in range(9): tools.double(x=i)", "call_limit"),
        ("return {1, 2}", "invalid_output"),
        ("import asyncio\nawait asyncio.Event().wait()", "deadlock"),
    ],
)
async def test_each_way_to_fail_has_its_kind(code: str, kind: str) -> None:
    limits = Limits(wall_s=0.5, calls=5, output_bytes=100_000, memory_bytes=128 << 20)
    result = await run(code, limits=limits)
    assert result.error_info is not None
    assert result.error_info.code == "CODE_RUN_FAILED"
    assert result.error_info.kind == kind, result.text


@pytest.mark.spec("CODE_MODE 2.6")
async def test_a_fenced_program_runs() -> None:
    assert (await run("```python\nprint(tools.double(x=2))\n```")).text == "4"


@pytest.mark.spec("CODE_MODE 2.7", "CODE_MODE 1.4")
async def test_run_code_is_no_binding_and_cannot_be_registered() -> None:
    assert (await run("print('run_code' in dir(tools))")).text == "False"
    result = await run(
        "try:\n    tools['run_code'](code='1')\nexcept Exception as e:\n    print(type(e).__name__)"
    )
    assert result.text in ("KeyError", "AttributeError", "ToolCallError")


@pytest.mark.spec("CODE_MODE 3.2", "CODE_MODE 3.4", "CODE_MODE 3.7", "CODE_MODE 6.5")
async def test_a_bad_argument_fails_its_own_call_and_runs_nothing() -> None:
    store = MemoryStore()
    result = await run(
        "try:\n    tools.double(x='seven')\nexcept ToolCallError as error:\n"
        "    print(error.code, error.tool_name)\nprint(tools.double(x=2))",
        log=store,
    )
    assert result.text == "INVALID_ARGS double\n4"
    (refused,) = data_of(store, "tool/code-dispatch-refused")
    assert refused["reason"] == "invalid_arguments"
    assert refused["ordinal"] == 1
    (start,) = data_of(store, "tool/code-dispatch-start")
    assert start["sub_call_id"].endswith(":code:2")


@pytest.mark.spec("CODE_MODE 6.5")
async def test_what_the_guest_refuses_itself_is_logged_as_the_guest_s_claim() -> None:
    store = MemoryStore()
    result = await run(
        "try:\n    tools.double(x=object())\nexcept ToolCallError as error:\n    print(error.code)\n"
        "print(tools.double(x=2))",
        log=store,
    )
    assert result.text == "INVALID_ARGS\n4"
    (refused,) = data_of(store, "tool/code-dispatch-refused")
    assert (refused["claimed_by"], refused["reason"]) == ("guest", "invalid_arguments")
    assert "double" in refused["detail"]
    assert "ordinal" not in refused
    (start,) = data_of(store, "tool/code-dispatch-start")
    assert start["sub_call_id"].endswith(":code:1")


@pytest.mark.spec("CODE_MODE 1.7")
@pytest.mark.parametrize("mode", ["code", "both"])
async def test_a_run_s_start_says_the_mode_in_force(mode: Literal["code", "both"]) -> None:
    store = MemoryStore()
    async with ToolRuntime([double], mode=mode, log=store) as runtime:
        await runtime.run_code("tools.double(x=2)")
    (start,) = data_of(store, "tool/code-run-start")
    assert start["mode"] == mode


@pytest.mark.spec("CODE_MODE 3.4", "CODE_MODE 3.7")
async def test_a_tool_s_own_failure_can_be_caught_with_its_text() -> None:
    result = await run(
        "try:\n    tools.fail(message='quota exceeded')\nexcept ToolCallError as error:\n"
        "    print(error.code, error.message, error.tool_name)"
    )
    assert result.text == "TOOL_ERROR quota exceeded fail"


@pytest.mark.spec(
    "CODE_MODE 3.3",
    "CODE_MODE 6.1",
    "CODE_MODE 6.2",
    "CODE_MODE 6.3",
    "CODE_MODE 6.4",
    "PIPELINE 11.3",
)
async def test_every_event_of_a_run_is_in_the_log_in_order() -> None:
    store = MemoryStore()
    await run("tools.double(x=1)\ntools.pay(amount=2)", log=store)
    assert kinds(store) == [
        "session/open",
        "turn/open",
        "step/open",
        "tool/call",
        "tool/code-run-start",
        "tool/code-dispatch-start",
        "tool/code-dispatch",
        "tool/code-dispatch-start",
        "tool/code-dispatch",
        "tool/code-run",
        "tool/result",
        "turn/close",
        "session/close",
    ]
    (call,) = data_of(store, "tool/call")
    assert json.loads(call["arguments"]) == {"code": "tools.double(x=1)\ntools.pay(amount=2)"}
    first, second = data_of(store, "tool/code-dispatch-start")
    assert first["sub_call_id"] == f"{call['call_id']}:code:1"
    assert first["root_call_id"] == first["parent_call_id"] == call["call_id"]
    assert (first["line"], second["line"]) == (1, 2)
    settled = data_of(store, "tool/code-dispatch")
    assert [one["outcome"] for one in settled] == ["ok", "ok"]
    (usage,) = [one["usage"] for one in data_of(store, "tool/code-run")]
    assert usage["sub_calls"] == {"ok": 2}


@pytest.mark.spec("CODE_MODE 6.9", "CODE_MODE 3.7", "PIPELINE 6.2", "PIPELINE 6.22")
async def test_a_denied_call_is_caught_logged_and_attributed() -> None:
    store = MemoryStore()

    def no_payments(execution: Execution) -> Deny | None:
        return (
            Deny("payments need a person", rule="no-payments") if execution.name == "pay" else None
        )

    result = await run(
        "try:\n    tools.pay(amount=1)\nexcept ToolCallError as e:\n    print(e.code, e.message)",
        log=store,
        policies=[no_payments],
    )
    assert result.text == "DENIED payments need a person"
    assert len(data_of(store, "tool/code-dispatch-start")) == 1
    (settled,) = data_of(store, "tool/code-dispatch")
    assert settled["outcome"] == "denied"
    assert settled["decision"] == {
        "outcome": "deny",
        "layer": "pre",
        "rule": "no-payments",
        "reason": "payments need a person",
    }
    assert settled["error"]["body_started"] is False


@pytest.mark.spec("CODE_MODE 7.1", "PIPELINE 7.1")
async def test_an_ask_without_a_channel_is_denied() -> None:
    result = await run(
        "try:\n    tools.pay(amount=1)\nexcept ToolCallError as e:\n    print(e.code)",
        policies=[on_payment(Ask("sure?"))],
    )
    assert result.text == "APPROVAL_UNAVAILABLE"


@pytest.mark.spec("PIPELINE 6.1", "PIPELINE 9.4")
async def test_a_stop_ends_the_program_with_its_ledger() -> None:
    result = await run(
        "tools.double(x=1)\ntry:\n    tools.pay(amount=1)\nexcept BaseException:\n    print('caught')\n"
        "print('went on')",
        policies=[on_payment(Stop("the budget is spent"))],
    )
    assert result.error_info is not None
    assert result.error_info.kind == "stopped"
    assert result.stops_turn == "the budget is spent"
    assert "went on" not in result.text
    assert "- completed: double" in result.text


@pytest.mark.spec("CODE_MODE 4.1", "CODE_MODE 4.2")
async def test_contexts_are_forwarded_in_submission_order_and_the_conclusion_with_them() -> None:
    gates = [anyio.Event(), anyio.Event()]

    @tool(effects={"read"})
    async def note(n: int, run: RunContext) -> None:
        """Note."""
        if n == 0:
            await gates[1].wait()
        run.defer_context(f"note {n}")
        run.conclude_turn()
        gates[n].set()

    result = await run(
        "import asyncio\nawait asyncio.gather(tools.note(n=0), tools.note(n=1))", [note]
    )
    assert [plain_text(context.content) for context in result.contexts] == [
        "note 0",
        "note 1",
    ]
    assert [context.source for context in result.contexts] == ["note", "note"]
    assert result.concludes_turn


@pytest.mark.spec("CODE_MODE 4.1", "CODE_MODE 4.2")
async def test_a_failed_program_keeps_contexts_and_never_concludes() -> None:
    @tool
    async def note(run: RunContext) -> None:
        """Note."""
        run.defer_context("kept")
        run.conclude_turn()

    result = await run("tools.note()\n1 / 0", [note])
    assert [c.content for c in result.contexts] == [(Text("kept"),)]
    assert not result.concludes_turn


@pytest.mark.spec("CODE_MODE 4.1", "PIPELINE 6.9")
async def test_a_block_of_the_outer_call_drops_the_contexts() -> None:
    @tool
    async def note(run: RunContext) -> None:
        """Note."""
        run.defer_context("dropped")

    def block(execution: Execution, outcome: BodyOutcome) -> Block | None:
        return Block(feedback="no") if execution.name == "run_code" else None

    result = await run("tools.note()", [note], post_policies=[block])
    assert result.is_error
    assert result.contexts == ()


@pytest.mark.spec("CODE_MODE 4.3")
async def test_images_of_nested_results_follow_as_one_message() -> None:
    pixel = Image.of(b"\x89PNG", "image/png")

    @tool(output=Output(render=lambda arguments, value: ["a chart", pixel]))
    async def chart(n: int) -> int:
        """Chart."""
        return n

    result = await run("tools.chart(n=1)\ntools.chart(n=2)", [chart])
    (context,) = result.contexts
    assert context.source == "code_mode"
    assert [block for block in context.content if isinstance(block, Image)] == [pixel, pixel]


@pytest.mark.spec("CODE_MODE 3.5")
async def test_safe_calls_overlap_and_unsafe_calls_run_alone() -> None:
    entered = {name: anyio.Event() for name in "abde"}
    running: set[str] = set()
    beside_change: list[set[str]] = []

    @tool(effects={"read"})
    async def look(name: str, other: str) -> None:
        """Return only while the other one runs too."""
        running.add(name)
        entered[name].set()
        await entered[other].wait()
        running.discard(name)

    @tool(effects={"write"})
    async def change() -> None:
        """Change."""
        beside_change.append(set(running))

    code = (
        "import asyncio\n"
        "await asyncio.gather(tools.look(name='a', other='b'), tools.look(name='b', other='a'),"
        " tools.change(), tools.look(name='d', other='e'), tools.look(name='e', other='d'))"
    )
    with anyio.fail_after(20):
        result = await run(code, [look, change])
    assert not result.is_error, result.text
    assert beside_change == [set()]


@pytest.mark.spec("CODE_MODE 3.8")
async def test_the_limit_of_parallel_sub_calls_holds() -> None:
    most = 0
    now = 0
    full = anyio.Event()

    @tool(effects={"read"})
    async def look(n: int) -> None:
        """Look."""
        nonlocal most, now
        now += 1
        most = max(most, now)
        if now == 3:
            full.set()
        await full.wait()  # however slowly the program submits them
        await anyio.wait_all_tasks_blocked()
        now -= 1

    with anyio.fail_after(30):
        await run(
            "import asyncio\nawait asyncio.gather(*(tools.look(n=i) for i in range(12)))",
            [look],
            max_parallel_sub_calls=3,
        )
    assert most == 3


@pytest.mark.spec("CODE_MODE 5.1", "CODE_MODE 5.2", "CODE_MODE 6.5")
async def test_a_program_that_ends_early_settles_every_call_before_its_result() -> None:
    store = MemoryStore()
    entered = anyio.Event()

    @tool(effects={"read"})
    async def slow(run: RunContext) -> str:
        """Once begun, it finishes what it does."""
        entered.set()
        with anyio.CancelScope(shield=True):
            await run.signal.wait()
        return "done all the same"

    @tool(effects={"read"})
    async def ready() -> None:
        """Return once slow is running."""
        await entered.wait()

    code = (
        "import asyncio\n"
        "task = asyncio.create_task(tools.slow())\n"
        "await asyncio.sleep(0)\n"
        "await tools.ready()\n"
        "raise SystemExit(0)"
    )
    with anyio.fail_after(20):
        result = await run(code, [slow, ready], log=store)
    assert not result.is_error, result.text
    assert kinds(store)[-4:] == ["tool/code-run", "tool/result", "turn/close", "session/close"]
    outcomes = {one["name"]: one["outcome"] for one in data_of(store, "tool/code-dispatch")}
    assert outcomes == {"slow": "discarded", "ready": "ok"}


@pytest.mark.spec("CODE_MODE 5.1", "PIPELINE 8.1")
async def test_a_cancelled_run_is_an_abort_and_its_calls_are_settled() -> None:
    store = MemoryStore()
    source = CancelSource()

    @tool(effects={"write"})
    async def trigger(run: RunContext) -> None:
        """Cancel the run from within."""
        source.cancel("the user pressed stop")
        await run.signal.wait()

    async with ToolRuntime([trigger], mode="code", log=store) as runtime:
        with anyio.fail_after(20):
            result = await runtime.run_code("tools.trigger()", signal=source.signal)
    assert result.is_error
    assert "the user pressed stop" in result.text
    assert len(data_of(store, "tool/code-dispatch")) == 1
    assert kinds(store)[-3:] == ["tool/result", "turn/close", "session/close"]


@pytest.mark.spec("PIPELINE 6.19", "CODE_MODE 2.4")
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("code", ["while True: pass", "import time; time.sleep(60)"])
async def test_a_cancelled_task_stays_cancelled(code: str) -> None:
    """Not a scope of anyio's: what `asyncio.timeout` and Ctrl-C do, with no call under way."""
    store = MemoryStore()
    started = anyio.Event()

    @tool(effects={"write"})
    async def order() -> None:
        """Order."""
        started.set()

    async with ToolRuntime([order], mode="code", log=store) as runtime:
        task = asyncio.create_task(runtime.run_code(f"tools.order()\n{code}"))
        with anyio.fail_after(20):
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
    assert task.cancelled()
    assert data_of(store, "tool/result")[-1]["error_info"]["code"] == "ABORTED"
    assert kinds(store)[-3:] == ["tool/result", "turn/close", "session/close"]


# --- modes -----------------------------------------------------------------------------------


@pytest.mark.spec("CODE_MODE 1.1", "CODE_MODE 1.2")
@pytest.mark.parametrize(
    ("mode", "names"),
    [
        ("native", ["double", "pay"]),
        ("code", ["run_code"]),
        ("both", ["double", "pay", "run_code"]),
    ],
)
def test_each_mode_has_its_wire_list_and_prompt(mode: Any, names: list[str]) -> None:
    runtime = ToolRuntime([double, pay], mode=mode)
    assert [entry["function"]["name"] for entry in runtime.wire_tools()] == names
    assert bool(runtime.prompt()) == (mode != "native")
    assert ("call nothing else directly" in runtime.prompt()) == (mode == "code")


@pytest.mark.spec("CODE_MODE 1.5")
async def test_a_direct_call_in_code_mode_is_refused_before_any_policy() -> None:
    seen: list[str] = []

    def watch(execution: Execution) -> None:
        seen.append(execution.name)

    async with ToolRuntime([double], mode="code", policies=[watch]) as runtime:
        result = await runtime._pipeline.execute(  # pyright: ignore[reportPrivateUsage] -- a model's call has no other way in yet
            CallRequest(call_id="c1", name="double", arguments='{"x": 1}')
        )
    assert result.code == "UNKNOWN_TOOL"
    assert "run_code" in result.text
    assert seen == []


@pytest.mark.spec("CODE_MODE 1.4", "CODE_MODE 1.9")
async def test_a_native_scope_has_no_run_code_and_starts_no_sandbox() -> None:
    async with ToolRuntime([double], mode="native") as runtime:
        with pytest.raises(MisuseError, match="native"):
            await runtime.run_code("print(1)")
        result = await runtime.execute("run_code", {"code": "print(1)"})
        assert result.code == "UNKNOWN_TOOL"
        assert (await runtime.execute("double", {"x": 4})).value == 8


@pytest.mark.spec("CODE_MODE 1.1", "PIPELINE 4.1", "PIPELINE 4.2")
async def test_a_scope_switches_the_mode_and_restricts_what_programs_see() -> None:
    async with ToolRuntime([double, pay], mode="native") as runtime:
        scope = runtime.scope("agent")
        scope.present_as("code")
        scope.restrict(deny=["pay"])
        result = await runtime.run_code(
            "print(tools.double(x=1))\nprint(hasattr(tools, 'pay'))", scope=scope
        )
        assert result.text == "2\nFalse"
        assert [entry["function"]["name"] for entry in runtime.wire_tools(scope)] == ["run_code"]
        assert "pay" not in runtime.prompt(scope)


@pytest.mark.spec("CODE_MODE 7.1", "PIPELINE 11.2")
async def test_run_code_in_process_works_and_writes_no_events() -> None:
    store = MemoryStore()
    async with ToolRuntime([double], mode="code", log=store) as runtime:
        result = await runtime.execute("run_code", {"code": "print(tools.double(x=3))"})
    assert result.text == "6"
    assert list(store.sessions()) == []


@pytest.mark.spec("PIPELINE 1.7")
async def test_an_unadvertised_tool_is_reached_by_its_exact_name_only() -> None:
    @tool(advertised=False)
    async def legacy() -> str:
        """Old."""
        return "old but working"

    async with ToolRuntime([legacy, double], mode="code") as runtime:
        assert "legacy" not in runtime.prompt()
        result = await runtime.run_code(
            "print(tools['legacy']())\nprint(hasattr(tools, 'legacy'), 'legacy' in str(dir(tools)))\n"
            "print([hit['name'] for hit in catalog.search('old')])"
        )
    assert result.text.splitlines()[:2] == ["old but working", "False False"]
    assert "legacy" not in result.text.splitlines()[2]


@pytest.mark.spec("SDK 5.1", "SDK 5.2")
async def test_programs_search_and_describe_without_counting_calls() -> None:
    result = await run(
        "print([hit['name'] for hit in catalog.search('double a number')][0])\n"
        "print('x: int' in catalog.describe('double'))\n"
        "try:\n    catalog.describe('nothing')\nexcept ToolCallError as e:\n    print(e.code)",
        limits=Limits(calls=1),
    )
    assert result.text == "tools.double\nTrue\nUNKNOWN_TOOL"


@pytest.mark.spec("PIPELINE 5.1")
async def test_the_token_reaches_no_frame_log_or_output() -> None:
    store = MemoryStore()
    tokens: list[str] = []

    @tool(effects={"read"})
    async def spy(run: RunContext) -> str:
        """Give a value that has nothing of the token."""
        tokens.append(hex(id(run.token)))
        with pytest.raises(TypeError):
            json.dumps(run.token)
        return repr(run.token)

    result = await run("print(tools.spy())", [spy], log=store)
    assert result.text == "<Token>"
    assert all(token not in repr(event) for event in events(store) for token in tokens)


async def test_scratch_files_go_in_and_come_out() -> None:
    outcomes: list[Any] = []
    async with ToolRuntime([], mode="code") as runtime:
        result = await runtime.run_code(
            "rows = open('in.csv').read().splitlines()\nopen('out.txt', 'w').write(rows[1])",
            files={"in.csv": b"a,b\n1,2\n"},
            artifacts=("*.txt",),
            on_outcome=outcomes.append,
        )
    assert not result.is_error, result.text
    assert outcomes[0].artifacts == {"out.txt": b"1,2"}
