"""The dispatch bridge against a small model that is written from the rules alone (CODE_MODE 3, 5).

Hypothesis submits calls of every kind, lets bodies go in any order, cancels single calls as a
program does, and ends the run at any time. After each step the real bridge, pipeline and log must
be where the model is: starts in submission order, barriers, one settlement each, a true ledger.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

import anyio
import pytest
from anyio.abc import TaskGroup
from anyio.from_thread import start_blocking_portal
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from typing_extensions import override

from codemode.runtime.code_mode.bridge import DispatchBridge
from codemode.runtime.definition import Tool
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import CallRequest, Execution, RunContext
from codemode.runtime.owner import Owner
from codemode.runtime.pipeline import Pipeline
from codemode.runtime.policy import Deny
from codemode.runtime.registry import Registry
from codemode.sandbox.control import RunControl
from codemode.sandbox.errors import ToolCallError
from codemode.sandbox.program import Call

LIMIT: Final = 2
_NUMBER: Final = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of call, as the rules see it.

    Attributes:
        code: What the program reads at once, without a body; "" enters the body.
        ending: What the log says of a body that was let go.
        is_logged: Whether it starts; otherwise it is refused.
    """

    tool: str
    is_safe: bool = False
    is_stubborn: bool = False
    code: str = ""
    ending: str = "ok"
    is_logged: bool = True


KINDS: Final = {
    "look": Kind(tool="look", is_safe=True),
    "change": Kind(tool="change"),
    "stubborn": Kind(tool="stubborn", is_safe=True, is_stubborn=True),
    "failing": Kind(tool="failing", is_safe=True, ending="error"),
    "denied": Kind(tool="denied", is_safe=True, code="DENIED", ending="denied"),
    "invalid": Kind(tool="look", code="INVALID_ARGS", ending="refused", is_logged=False),
    "unknown": Kind(tool="nothing", code="UNKNOWN_TOOL", ending="refused", is_logged=False),
}


@dataclass(slots=True, kw_only=True)
class Expected:
    """The model of one call."""

    number: int
    kind: Kind
    state: str = "waiting"
    outcome: str | None = None
    is_cancelled: bool = False

    def settle(self, outcome: str) -> None:
        self.state, self.outcome = "settled", outcome


class Model:
    """The rules, in as few words as they can be said."""

    def __init__(self) -> None:
        self.calls: list[Expected] = []

    def advance(self) -> None:
        """Start what may start: only ever the first that waits, and only if there is room."""
        for call in self.calls:
            if call.state != "waiting":
                continue
            running = [other for other in self.calls if other.state == "running"]
            if call.kind.is_safe:
                has_room = len(running) < LIMIT and all(other.kind.is_safe for other in running)
            else:
                has_room = not running
            if not has_room:
                return
            if call.kind.code:
                call.settle(call.kind.ending)
            else:
                call.state = "running"

    def release(self, call: Expected) -> None:
        call.settle("discarded" if call.is_cancelled else call.kind.ending)
        self.advance()

    def cancel(self, call: Expected) -> None:
        if call.state == "waiting":
            call.settle("refused")
        elif call.state == "running":
            if call.kind.is_stubborn:
                call.is_cancelled = True
            else:
                call.settle("aborted")


class Bench:
    """The real thing: an outer call that stays open, and a bridge under its token."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.gates: dict[int, anyio.Event] = {}
        self.begun: list[int] = []
        self.answers: dict[int, str] = {}
        self.scopes: dict[int, anyio.CancelScope] = {}
        self.bridge: DispatchBridge
        self._tasks: TaskGroup
        self._registry = Registry()
        self._pipeline = Pipeline(self._registry, drain_s=3600.0)
        self._is_open = anyio.Event()
        self._may_end = anyio.Event()
        for name, options in (
            ("look", {"is_concurrency_safe": True, "effects": {"read"}}),
            ("change", {"effects": {"write"}}),
            ("stubborn", {"is_concurrency_safe": True, "effects": {"write"}}),
            ("failing", {"is_concurrency_safe": True, "effects": {"write"}}),
            ("denied", {"is_concurrency_safe": True, "effects": {"write"}}),
        ):
            self._registry.register(Tool.raw(name, name, _NUMBER, self._body, **options))
        self._registry.register(Tool.raw("outer", "outer", {"type": "object"}, self._outer))
        self._registry.root.add("pre", _deny)

    async def live(self, *, task_status: Any) -> None:
        """Be there until `close`."""
        owner = Owner(record=lambda kind, data: self.events.append((kind, data)))
        async with self._pipeline as pipeline, anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(
                pipeline.execute,
                CallRequest(call_id="c", name="outer", arguments="{}", owner=owner),
            )
            await self._is_open.wait()
            task_status.started()

    async def _outer(self, _: Any, run: RunContext) -> None:
        self.bridge = DispatchBridge(self._pipeline, run, RunControl(), max_parallel=LIMIT)
        self._is_open.set()
        await self._may_end.wait()

    async def _body(self, arguments: Any, run: RunContext) -> int:
        number = int(arguments["n"])
        self.begun.append(number)
        with anyio.CancelScope(shield=run.execution.name == "stubborn"):
            await self.gates[number].wait()
        if run.execution.name == "failing":
            raise ToolError("no luck")
        return number

    async def submit(self, number: int, name: str, arguments: dict[str, Any]) -> None:
        """As the driver does: the place is taken at once, the rest happens in a task."""
        self.gates[number] = anyio.Event()
        call = Call(number=number, name=name, arguments=arguments, line=number)
        awaitable = self.bridge.submit(name, call)
        self._tasks.start_soon(self._follow, number, awaitable)
        await anyio.wait_all_tasks_blocked()

    async def _follow(self, number: int, awaitable: Any) -> None:
        with anyio.CancelScope() as scope:
            self.scopes[number] = scope
            try:
                self.answers[number] = repr(await awaitable)
            except ToolCallError as error:
                self.answers[number] = error.code

    async def release(self, number: int) -> None:
        self.gates[number].set()
        await anyio.wait_all_tasks_blocked()

    async def cancel(self, *numbers: int) -> None:
        for number in numbers:
            self.scopes[number].cancel()
        await anyio.wait_all_tasks_blocked()

    async def end(self) -> None:
        """As the driver does when a program is over: its calls are cancelled, then the bridge."""
        await self.cancel(*self.scopes)
        self.bridge.end("the program has ended")

    async def close(self) -> None:
        for gate in self.gates.values():
            gate.set()
        await anyio.wait_all_tasks_blocked()
        self._may_end.set()


def _deny(execution: Execution) -> Deny | None:
    return Deny("never") if execution.name == "denied" else None


class Dispatching(RuleBasedStateMachine):
    """One run."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.has_ended = False
        self._stack = ExitStack()
        # trio knows at once when every task waits; asyncio has to be polled.
        self.portal = self._stack.enter_context(start_blocking_portal("trio"))
        self.bench = self.portal.call(_make)
        self._life, _ = self.portal.start_task(self.bench.live)

    @rule(kind=st.sampled_from(sorted(KINDS)))
    @precondition(lambda self: not self.has_ended and len(self.model.calls) < 12)
    def submit(self, kind: str) -> None:
        expected = Expected(number=len(self.model.calls) + 1, kind=KINDS[kind])
        self.model.calls.append(expected)
        self.model.advance()
        arguments = {} if kind == "invalid" else {"n": expected.number}
        self.portal.call(self.bench.submit, expected.number, expected.kind.tool, arguments)

    @rule(data=st.data())
    @precondition(lambda self: self.running())
    def release(self, data: st.DataObject) -> None:
        call = data.draw(st.sampled_from(self.running()))
        self.model.release(call)
        self.portal.call(self.bench.release, call.number)

    @rule(data=st.data())
    @precondition(lambda self: not self.has_ended and self.open())
    def cancel(self, data: st.DataObject) -> None:
        call = data.draw(st.sampled_from(self.open()))
        self.model.cancel(call)
        self.model.advance()
        self.portal.call(self.bench.cancel, call.number)

    @rule()
    @precondition(lambda self: self.model.calls)
    def end(self) -> None:
        """A second time changes nothing."""
        self.has_ended = True
        for call in self.model.calls:
            self.model.cancel(call)
        self.portal.call(self.bench.end)

    def running(self) -> list[Expected]:
        return [call for call in self.model.calls if call.state == "running"]

    def open(self) -> list[Expected]:
        return [call for call in self.model.calls if call.state != "settled"]

    @invariant()
    def the_bridge_is_where_the_model_is(self) -> None:
        starts = [_number(data) for kind, data in self.bench.events if kind.endswith("-start")]
        settled = [
            (_number(data), data["outcome"])
            for kind, data in self.bench.events
            if kind == "tool/code-dispatch"
        ]
        refused = [
            data["ordinal"]
            for kind, data in self.bench.events
            if kind == "tool/code-dispatch-refused"
        ]
        expected = self.model.calls
        assert starts == sorted(starts), "calls start in submission order"
        assert set(starts) == {
            call.number
            for call in expected
            if call.kind.is_logged and call.state != "waiting" and call.outcome != "refused"
        }
        assert len(settled) == len(dict(settled)), "one settlement each"
        assert dict(settled) == {
            call.number: call.outcome for call in expected if call.outcome not in (None, "refused")
        }
        assert sorted(refused) == [c.number for c in expected if c.outcome == "refused"]
        for entry, call in zip(self.bench.bridge.ledger.entries, expected, strict=True):
            assert (entry.number, entry.outcome) == (call.number, call.outcome)
        counts = Counter(call.outcome or "unknown" for call in expected)
        assert self.bench.bridge.ledger.counts() == counts

    @invariant()
    def programs_read_what_their_calls_came_to(self) -> None:
        codes = {"ok": None, "error": "TOOL_ERROR", "denied": "DENIED"}
        for call in self.model.calls:
            answer = self.bench.answers.get(call.number)
            if call.outcome in codes and not call.is_cancelled:
                assert answer == (codes[str(call.outcome)] or str(call.number))
            elif call.kind.code and call.outcome == "refused" and answer is not None:
                assert answer == call.kind.code
            else:
                assert answer is None

    @override
    def teardown(self) -> None:
        try:
            self.portal.call(self.bench.close)
            self._life.result(timeout=20)
        finally:
            self._stack.close()
        open_ends = [entry for entry in self.bench.bridge.ledger.entries if entry.outcome is None]
        assert not open_ends, "what has begun is settled"


async def _make() -> Bench:
    return Bench()


def _number(data: dict[str, Any]) -> int:
    return int(data["sub_call_id"].rpartition(":")[2])


TestDispatching = pytest.mark.spec(
    "CODE_MODE 3.3",
    "CODE_MODE 3.5",
    "CODE_MODE 3.7",
    "CODE_MODE 5.1",
    "CODE_MODE 5.2",
    "CODE_MODE 6.5",
    "PIPELINE 10.6",
)(Dispatching.TestCase)
Dispatching.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
