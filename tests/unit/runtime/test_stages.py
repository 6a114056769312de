"""The table of stages and early ends: every edge is driven, and no other exists."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from pipeline_harness import Harness

from codemode.runtime.approval import ApprovalOutcome, ApprovalRequest, MemoryApprovalChannel
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import RunContext
from codemode.runtime.pending import PendingCall
from codemode.runtime.policy import Ask, Defer, Deny, Stop
from codemode.runtime.result import PROGRAM_CODES
from codemode.runtime.stages import EARLY_ENDS, EDGES, End, Stage, mermaid, reaches_post


class Broken:
    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        raise RuntimeError("the channel broke")


class Drive:
    """Sets one way through the stages up."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.source = CancelSource()
        self.name = "tool"
        self.arguments = '{"a": 1}'
        self.options: dict[str, Any] = {}
        self.mode: Any = None

    def hook(self, kind: Any, hook: Callable[..., Any]) -> None:
        self.harness.registry.root.add(kind, hook)

    def cancelling(self, answer: Any = None) -> Callable[..., Any]:
        def hook(*_: object) -> Any:
            self.source.cancel()
            return answer

        return hook


def boom(*_: object) -> None:
    raise RuntimeError("broke")


async def wrong(around: Any, call_next: Any) -> Any:
    return None


def approved(drive: Drive) -> None:
    drive.hook("pre", lambda *_: Ask("?"))
    drive.options["approval"] = MemoryApprovalChannel(lambda request: "allowed")


def approval_throws(drive: Drive) -> None:
    drive.hook("pre", lambda *_: Ask("?"))
    drive.options["approval"] = Broken()


def cancelled_at_once(drive: Drive) -> None:
    drive.source.cancel()


def cancelled_in_approval(drive: Drive) -> None:
    drive.hook("pre", lambda *_: Ask("?"))
    drive.options["approval"] = MemoryApprovalChannel(drive.cancelling("cancelled"))


WAYS: dict[str, tuple[Callable[[Drive], None], End | None, Stage | None]] = {
    "success": (lambda d: None, None, None),
    "approved": (approved, None, None),
    "text that is not JSON": (
        lambda d: setattr(d, "arguments", "{"), End.INVALID_ARGUMENTS, Stage.READ
    ),
    "arguments that the schema refuses": (
        lambda d: setattr(d, "arguments", '{"a": "x"}'), End.INVALID_ARGUMENTS, Stage.VALIDATE
    ),
    "collapsed": (lambda d: setattr(d, "mode", "code"), End.COLLAPSED, Stage.COLLAPSE),
    "cancelled already": (cancelled_at_once, End.CANCELLED, Stage.CANCEL_CHECK),
    "cancelled in pre": (lambda d: d.hook("pre", d.cancelling()), End.CANCELLED, Stage.PRE),
    "cancelled in approval": (cancelled_in_approval, End.CANCELLED, Stage.APPROVAL),
    "cancelled in a guard": (lambda d: d.hook("guard", d.cancelling()), End.CANCELLED, Stage.GUARD),
    "pre throws": (lambda d: d.hook("pre", boom), End.PRE_FAILED, Stage.PRE),
    "denied": (lambda d: d.hook("pre", lambda *_: Deny("n")), End.DENIED, Stage.PRE),
    "stopped": (lambda d: d.hook("pre", lambda *_: Stop("n")), End.STOPPED, Stage.PRE),
    "deferred": (lambda d: d.hook("pre", lambda *_: Defer("n")), End.DEFERRED, Stage.PRE),
    "approval throws": (approval_throws, End.APPROVAL_FAILED, Stage.APPROVAL),
    "approval refused": (
        lambda d: d.hook("pre", lambda *_: Ask("?")), End.REFUSED, Stage.APPROVAL
    ),
    "guard throws": (lambda d: d.hook("guard", boom), End.GUARD_FAILED, Stage.GUARD),
    "guarded": (lambda d: d.hook("guard", lambda *_: "no"), End.GUARDED, Stage.GUARD),
    "unknown": (lambda d: setattr(d, "name", "other"), End.UNKNOWN_TOOL, Stage.GUARD),
    "wrapper throws": (lambda d: d.hook("wrapper", wrong), End.AROUND_FAILED, Stage.AROUND),
    "post throws": (lambda d: d.hook("post", boom), End.POST_FAILED, Stage.POST),
}  # fmt: skip


async def drive(harness: Harness, way: str) -> PendingCall:
    async def body(arguments: Any, run: RunContext) -> Any:
        return dict(arguments)

    harness.add(
        "tool",
        body,
        parameters={"type": "object", "properties": {"a": {"type": "integer"}}},
        finalize_content=lambda arguments, outcome: None,
    )
    setup = Drive(harness)
    WAYS[way][0](setup)
    async with harness.open(**setup.options) as pipeline:
        pending = pipeline.begin(
            harness.request(
                setup.name, setup.arguments, signal=setup.source.signal, mode=setup.mode
            )
        )
        await pipeline.prepare(pending)
        await pipeline.run_body(pending)
        await pipeline.settle(pending)
    return pending


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 6.18", "PIPELINE 14.1")
@pytest.mark.parametrize("way", WAYS)
async def test_each_early_end_leads_where_the_table_says(harness: Harness, way: str) -> None:
    _, end, at = WAYS[way]
    pending = await drive(harness, way)
    assert pending.ended is end
    stages = pending.stages
    assert stages[-1] is Stage.PUBLISH
    assert stages[-3:-1] == [Stage.FINALISE, Stage.FREEZE]
    assert len(set(stages)) == len(stages)
    if end is not None and at is not None:
        assert stages[stages.index(at) + 1] is EARLY_ENDS[end].then
        assert (Stage.POST in stages) is (reaches_post(end) or end is End.POST_FAILED)


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 6.18")
async def test_the_ways_drive_every_edge_and_no_other(anyio_backend: str) -> None:
    driven: set[tuple[Stage, Stage]] = set()
    for way in WAYS:
        driven.update(pairwise((await drive(Harness(), way)).stages))
    assert driven == EDGES


@pytest.mark.spec("PIPELINE 6.18")
def test_a_move_that_is_not_in_the_table_is_a_bug_of_ours() -> None:
    pending = PendingCall(Harness().request("tool"), CancelSource())
    with pytest.raises(RuntimeError, match="POST is not legal after READ"):
        pending.enter(Stage.POST)
    with pytest.raises(RuntimeError, match="DENIED is not legal in READ"):
        pending.end(End.DENIED, "DENIED", "no")


@pytest.mark.spec("PIPELINE 6.18")
def test_the_document_draws_the_graph_of_the_table() -> None:
    from pathlib import Path

    text = (Path(__file__).parents[3] / "docs" / "pipeline.md").read_text()
    assert mermaid() in text
    for end in EARLY_ENDS:
        assert f"| {end.value} |" in text
    for code, seen in PROGRAM_CODES.items():
        assert f"| `{code}` | `{seen}` |" in text


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 6.18", "PIPELINE 6.12")
@pytest.mark.parametrize("way", WAYS)
async def test_every_way_is_finalised_and_observed_exactly_once(harness: Harness, way: str) -> None:
    seen: list[str] = []
    harness.registry.root.add("observer", lambda execution, result: seen.append(result.call_id))
    pending = await drive(harness, way)
    assert pending.result is not None
    assert seen == [pending.result.call_id]


@pytest.mark.anyio
async def test_a_body_failure_takes_the_main_way(harness: Harness) -> None:
    async def failing(arguments: Any, run: RunContext) -> None:
        raise ToolError("no")

    harness.add("fails", failing)
    async with harness.open() as pipeline:
        pending = pipeline.begin(harness.request("fails"))
        await pipeline.prepare(pending)
        await pipeline.run_body(pending)
        result = await pipeline.settle(pending)
    assert pending.ended is None
    assert Stage.POST in pending.stages
    assert result.is_error
