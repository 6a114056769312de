"""Tools, hooks, callbacks and logs of a host that raise, cancel and return what they should not.

Whatever they do, a call comes to one result, a start in the log has its settlement, the other calls
and runs go on, and the log verifies.
"""

from __future__ import annotations

import asyncio  # noqa: TID251 - what a host without anyio does is tried here
from collections.abc import Callable, Sequence
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from logged import data_of
from typing_extensions import override

from codemode import Limits, ToolRuntime, tool
from codemode.runtime import closing, settling
from codemode.runtime.approval import ApprovalOutcome, ApprovalRequest
from codemode.runtime.audit import verify
from codemode.runtime.code_mode import records
from codemode.runtime.content import Image
from codemode.runtime.definition import Output, Tool
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import CallRequest, Execution, RunContext
from codemode.runtime.log import (
    LogError,
    LogFullError,
    LogUnavailableError,
    Record,
    Redactor,
)
from codemode.runtime.log.repair import repair
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.owner import Owner
from codemode.runtime.pending import PendingCall
from codemode.runtime.policy import Ask, Deny, Stop
from codemode.runtime.result import Result
from codemode.sandbox.program import LogEntry
from codemode.sandbox.values import FrozenDict, Json

pytestmark = pytest.mark.anyio

#: What no log can hold.
LONE = "\ud800 lone"
ON_ASYNCIO = pytest.mark.parametrize("anyio_backend", ["asyncio"])


def calling(name: str, times: int = 2) -> str:
    """A program that calls a tool and prints what became of it."""
    return "\n".join(
        (
            f"for _ in range({times}):",
            "    try:",
            f"        print(await tools.{name}())",
            "    except ToolCallError as error:",
            "        print(error.code)",
        )
    )


async def run(tools: list[Tool], program: str, store: MemoryStore, **options: Any) -> Result:
    on_output = options.pop("on_output", None)
    runtime = ToolRuntime(tools, mode="code", log=store, limits=Limits(drain_s=2), **options)
    with anyio.fail_after(30):
        async with runtime:
            return await runtime.run_code(program, on_output=on_output)


@tool(effects={"write"})
async def put() -> str:
    """Put."""
    return "done"


# --- tools ---------------------------------------------------------------------------------------


@tool(effects={"write"})
async def await_what_is_cancelled() -> str:
    """Wait for a task of its own that it has cancelled."""
    waiting = asyncio.ensure_future(asyncio.sleep(10))
    waiting.cancel()
    await waiting
    return "never"


@tool(effects={"write"})
async def cancel_itself() -> str:
    """Cancel the task that it runs in."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)
    return "never"


@pytest.mark.spec("PIPELINE 6.19", "CODE_MODE 3.7")
@ON_ASYNCIO
@pytest.mark.parametrize(
    ("given", "code"), [(await_what_is_cancelled, "TOOL_ERROR"), (cancel_itself, "ABORTED")]
)
async def test_a_tool_that_is_cancelled_from_within_ends_its_own_call_alone(
    given: Tool, code: str, anyio_backend: str
) -> None:
    store = MemoryStore()
    source = calling(given.name) + "\n" + calling("put", 1)
    result = await run([given, put], source, store)
    assert result.text.splitlines() == [code, code, "done"]
    assert verify(store).ok


@pytest.mark.spec("PIPELINE 6.19")
@ON_ASYNCIO
async def test_a_hosts_own_call_of_such_a_tool_has_a_result_too(anyio_backend: str) -> None:
    async with ToolRuntime([await_what_is_cancelled]) as runtime:
        result = await runtime.execute("await_what_is_cancelled", {})
        assert result.code == "TOOL_ERROR"


class OddError(BaseException):
    """Not an `Exception`, as the outcomes of some test tools are not."""


@tool(effects={"write"})
async def raise_oddly() -> str:
    """Raise what is no `Exception`."""
    raise OddError


@tool(effects={"write"})
async def fail_in_odd_words() -> str:
    """Fail with texts that nothing can encode."""
    raise ToolError(LONE, LONE, kind=LONE)


@tool(effects={"write"})
async def note_oddly(run: RunContext) -> str:
    """Note what is no JSON."""
    run.annotate("note", LONE)
    return "never"


@tool(effects={"write"})
async def stop_oddly(run: RunContext) -> str:
    """Stop for a reason that is no text."""
    run.stop_turn(5)  # type: ignore[arg-type]  # an untyped host
    return "never"


@pytest.mark.spec("PIPELINE 6.13", "CODE_MODE 6.11")
@pytest.mark.parametrize("given", [raise_oddly, fail_in_odd_words, note_oddly, stop_oddly])
async def test_whatever_a_tool_raises_or_says_is_a_failure_of_its_call(given: Tool) -> None:
    store = MemoryStore()
    result = await run([given], calling(given.name), store)
    assert result.text.splitlines() == ["TOOL_ERROR", "TOOL_ERROR"]
    assert [data["outcome"] for data in data_of(store, "tool/code-dispatch")] == ["error", "error"]
    assert verify(store).ok


@tool(effects={"write"})
async def succeed_and_stop(run: RunContext) -> str:
    """Succeed, and stop the turn."""
    run.stop_turn("enough")
    return "done"


@pytest.mark.spec("PIPELINE 9.4", "AUDIT 2.2")
async def test_a_tool_may_stop_the_turn_and_succeed() -> None:
    store = MemoryStore()
    result = await run([succeed_and_stop], calling("succeed_and_stop"), store)
    assert result.stops_turn == "enough"
    assert verify(store).ok


@pytest.mark.spec("PIPELINE 6.7")
async def test_an_image_that_says_no_plain_words_of_itself_is_no_output() -> None:
    async def draw(arguments: Any, run: RunContext) -> Json:
        return 1

    def render(arguments: Any, value: Json) -> Image:
        return Image(media_type=LONE, sha256="0" * 64, size_bytes=1, data=b"x")

    drawing = Tool.raw("draw", "Draw.", {"type": "object"}, draw, output=Output(render=render))
    store = MemoryStore()
    result = await run([drawing], calling("draw"), store)
    assert result.text.splitlines() == ["INVALID_TOOL_OUTPUT", "INVALID_TOOL_OUTPUT"]
    assert verify(store).ok


@pytest.mark.spec("CODE_MODE 6.11", "CODE_MODE 2.5")
@pytest.mark.parametrize("where", ["record", "result"])
async def test_a_call_whose_end_cannot_be_told_is_settled_as_unknown_and_ends_the_run(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if where == "record":  # the log refuses it
        dispatch = records.dispatch

        def odd(*given: Any) -> dict[str, Json]:
            return {**dispatch(*given), "name": LONE}

        monkeypatch.setattr(records, "dispatch", odd)
    else:  # there is none
        freeze = settling.freeze

        def broken(pending: PendingCall) -> Result:
            if pending.execution.is_nested:
                raise ZeroDivisionError("a fault of the engine")
            return freeze(pending)

        monkeypatch.setattr(closing, "freeze", broken)
    store = MemoryStore()
    result = await run([put], calling("put", 3), store)
    assert result.error_info is not None
    assert result.error_info.kind == "crash"
    assert "outcome unknown: put" in result.text
    (settled,) = data_of(store, "tool/code-dispatch")
    assert settled["outcome"] == "unknown"
    assert settled["error"]["body_started"]
    assert verify(store).ok


# --- hooks ---------------------------------------------------------------------------------------


def nested(answer: Callable[[], Any]) -> Callable[[Execution], Any]:
    return lambda execution: answer() if execution.is_nested else None


@pytest.mark.spec("PIPELINE 6.2", "PIPELINE 6.22")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"policies": [nested(lambda: Deny(LONE, rule=LONE))]}, "DENIED"),
        ({"guards": [nested(lambda: LONE)]}, "DENIED"),
        ({"policies": [nested(lambda: Stop(LONE))]}, "stopped"),
        ({"policies": [nested(lambda: Deny("no", rule=5))]}, "TOOL_ERROR"),  # type: ignore[arg-type]  # an untyped host
    ],
)
async def test_hooks_may_say_what_nothing_can_encode(options: dict[str, Any], said: str) -> None:
    store = MemoryStore()
    result = await run([put], calling("put"), store, **options)
    assert said in result.text
    assert verify(store).ok
    assert all(not data["error"]["body_started"] for data in data_of(store, "tool/code-dispatch"))


class Channel:
    """Answers what it was given."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        answer: ApprovalOutcome = self._answer
        return answer


class Unspeakable:
    """Will not say who it is."""

    @override
    def __str__(self) -> str:
        raise ValueError("no")


@pytest.mark.spec("PIPELINE 7.1", "PIPELINE 7.3")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ApprovalOutcome(answer="rejected", by=LONE, reason=LONE), "APPROVAL_REJECTED"),
        (ApprovalOutcome(answer=[], by="x"), "APPROVAL_UNAVAILABLE"),  # type: ignore[arg-type]  # untyped
        (ApprovalOutcome(answer="allowed", by=Unspeakable()), "APPROVAL_UNAVAILABLE"),  # type: ignore[arg-type]  # untyped
    ],
)
async def test_each_question_in_the_log_is_decided_whatever_the_channel_says(
    answer: Any, said: str
) -> None:
    store = MemoryStore()
    policies = [nested(lambda: Ask("may it?"))]
    result = await run([put], calling("put", 1), store, policies=policies, approval=Channel(answer))
    assert result.text == said
    assert len(data_of(store, "approval/decided")) == 1
    assert verify(store).ok


@pytest.mark.spec("CODE_MODE 6.2", "CODE_MODE 2.5")
async def test_a_callback_that_raises_breaks_the_run_off_and_leaves_its_end_in_the_log() -> None:
    def on_output(entry: LogEntry) -> None:
        raise ZeroDivisionError("no output wanted")

    store = MemoryStore()
    program = "await tools.put()\nprint('x')\nawait tools.put()"
    result = await run([put], program, store, on_output=on_output)
    assert result.error_info is not None
    assert result.error_info.kind == "crash"
    assert "call 1: put (completed)" in result.text
    (ended,) = data_of(store, "tool/code-run")
    assert ended["kind"] == "crash"
    assert verify(store).ok


# --- the log -------------------------------------------------------------------------------------


class Broken(Redactor):
    """Fails at the n-th event of one type."""

    def __init__(self, kind: str, at: int) -> None:
        super().__init__(lambda kind, fields: fields)
        self._kind = kind
        self._left = at

    @override
    def apply(self, kind: str, data: FrozenDict) -> FrozenDict:
        if kind == self._kind:
            self._left -= 1
            if self._left == 0:
                raise ZeroDivisionError("a secret")
        return super().apply(kind, data)


@pytest.mark.spec("CODE_MODE 6.11", "CODE_MODE 6.8")
@pytest.mark.parametrize(
    "kind", ["tool/code-dispatch-start", "tool/code-dispatch", "tool/code-run", "tool/result"]
)
async def test_a_redactor_that_breaks_ends_the_run_and_its_log_can_be_repaired(kind: str) -> None:
    done: list[int] = []

    @tool(effects={"write"})
    async def count() -> str:
        """Count."""
        done.append(1)
        return "done"

    store = MemoryStore()
    at = 2 if kind.startswith("tool/code-dispatch") else 1
    with pytest.raises(LogError) as raised:
        await run([count], calling("count", 5), store, redact=Broken(kind, at))
    assert "a secret" not in str(raised.value)
    assert raised.value.__notes__, "what the model would have read"
    assert len(done) == {"tool/code-dispatch-start": 1, "tool/code-dispatch": 2}.get(kind, 5)
    (session,) = store.sessions()
    await repair(store, session)
    assert verify(store).ok
    assert len(data_of(store, "tool/code-dispatch-start")) == len(
        data_of(store, "tool/code-dispatch")
    )


@pytest.mark.spec("CODE_MODE 6.11")
@pytest.mark.parametrize("kind", ["tool/code-dispatch-start", "tool/code-dispatch"])
async def test_an_owner_of_the_hosts_own_may_raise_anything_and_the_run_fails_closed(
    kind: str,
) -> None:
    events: list[tuple[str, dict[str, Json]]] = []
    done: list[int] = []

    @tool(effects={"write"})
    async def count() -> str:
        """Count."""
        done.append(1)
        return "done"

    def record(said: str, data: dict[str, Json]) -> None:
        if said == kind:
            raise KeyError("anything")
        events.append((said, data))

    async with ToolRuntime([count], mode="code") as runtime:
        result = await runtime.services.pipeline.execute(
            CallRequest(
                call_id="c",
                name="run_code",
                arguments={"code": calling("count", 3)},
                owner=Owner(record=record),
            )
        )
    if kind == "tool/code-dispatch":
        assert result.error_info is not None
        assert result.error_info.kind == "crash"
        assert "call 1: count" in result.text
        assert len(done) == 1
    else:
        assert result.text.splitlines() == ["LOG_UNAVAILABLE"] * 3
        assert not done


async def test_what_an_owner_raises_comes_out_as_an_error_of_the_log() -> None:
    async def flush() -> None:
        raise OSError("a secret")

    def record(kind: str, data: dict[str, Json]) -> None:
        raise RuntimeError("a secret")

    owner = Owner(record=record, flush=flush, ready=flush)
    for attempt in (owner.flush, owner.ready):
        with pytest.raises(LogUnavailableError, match=r"^waiting for the log failed: OSError$"):
            await attempt()
    with pytest.raises(LogUnavailableError, match=r"^recording a/b failed: RuntimeError$"):
        owner.record("a/b", {})


class Refusing(MemoryStore):
    """Takes no end of a session that it was told of."""

    refused: tuple[str, ...] = ()

    @override
    def append(self, records: Sequence[Record]) -> None:
        if any(one.session in self.refused and one.type == "session/close" for one in records):
            raise LogFullError("the disk is full")
        super().append(records)


def ends_of(store: MemoryStore) -> set[str]:
    """The types of the sessions' last events."""
    ends = [store.last(session) for session in store.sessions()]
    return {end.type for end in ends if end is not None}


@pytest.mark.spec("CODE_MODE 5.3", "CODE_MODE 6.11")
async def test_a_session_that_cannot_be_closed_late_is_no_other_calls_affair() -> None:
    may_end = anyio.Event()

    @tool(effects={"write"})
    async def insist() -> str:
        """End when it may, whoever cancels it."""
        with anyio.CancelScope(shield=True):
            await may_end.wait()
        return "done"

    store = Refusing()
    with anyio.fail_after(30):
        runtime = ToolRuntime([insist, put], mode="code", log=store, limits=Limits(drain_s=0.01))
        async with runtime:
            start = "import asyncio\nawait asyncio.wait_for(tools.insist(), 0.1)"
            for _ in range(2):
                await runtime.run_code(start)
            store.refused = store.sessions()
            may_end.set()
            while ends_of(store) != {"tool/late-settlement"}:  # noqa: ASYNC110 - a thread writes them
                await anyio.sleep(0.001)
            result = await runtime.run_code(calling("put", 1))
            assert result.text == "done"
    assert ends_of(store) == {"session/close", "tool/late-settlement"}
    assert verify(store).ok


# --- the caller ----------------------------------------------------------------------------------


@pytest.mark.spec("CODE_MODE 5.1", "PIPELINE 8.3")
@ON_ASYNCIO
async def test_a_run_that_is_cancelled_twice_still_waits_for_its_calls(anyio_backend: str) -> None:
    begun, may_end = anyio.Event(), anyio.Event()

    @tool(effects={"write"})
    async def insist() -> str:
        """End when it may, whoever cancels it."""
        begun.set()
        with anyio.CancelScope(shield=True):
            await may_end.wait()
        return "done"

    store = MemoryStore()
    with anyio.fail_after(30):
        async with ToolRuntime([insist], mode="code", log=store) as runtime:
            running = asyncio.ensure_future(runtime.run_code("await tools.insist()"))
            await begun.wait()
            for _ in range(3):
                running.cancel()
                for _ in range(5):
                    await anyio.lowlevel.checkpoint()
            assert not running.done()
            may_end.set()
            with pytest.raises(asyncio.CancelledError):
                await running
    (settled,) = data_of(store, "tool/code-dispatch")
    assert settled["outcome"] == "discarded"
    assert verify(store).ok
