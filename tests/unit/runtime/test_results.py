"""Results and the small tables around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pipeline_harness import Harness

from codemode.runtime.execution import RunContext
from codemode.runtime.result import PROGRAM_CODES, program_code

#: What a program may see (CODE_MODE 3.4).
STABLE = {
    "DENIED", "DEFERRED", "APPROVAL_REJECTED", "APPROVAL_CANCELLED", "APPROVAL_UNAVAILABLE",
    "LOG_UNAVAILABLE", "INVALID_ARGS", "UNKNOWN_TOOL", "TIMEOUT", "ABORTED", "TOOL_ERROR",
    "INVALID_TOOL_OUTPUT", "LIMIT", "UNKNOWN_OUTCOME",
}  # fmt: skip


@pytest.mark.spec("PIPELINE 6.16", "CODE_MODE 3.4")
def test_the_table_of_codes_gives_the_stable_set_and_nothing_else() -> None:
    assert set(PROGRAM_CODES.values()) == STABLE
    assert program_code("TOOL_TIMEOUT") == "TIMEOUT"
    assert program_code("ABORTED_BEFORE_DISPATCH") == "ABORTED"
    assert program_code("ROW_MISSING") == "TOOL_ERROR"


async def echo(arguments: Any, run: RunContext) -> Any:
    return dict(arguments)


DECLARED: list[tuple[bool | Callable[[Any], Any], str, bool]] = [
    (True, "{}", True),
    (False, "{}", False),
    (lambda arguments: True, "{}", True),
    (lambda arguments: 1, "{}", False),
    (lambda arguments: "yes", "{}", False),
    (lambda arguments: 1 / 0, "{}", False),
    (lambda arguments: arguments.get("dry") is True, '{"dry": true}', True),
    (True, '{"dry": 1}', False),
    (True, "not json", False),
]


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 10.1")
@pytest.mark.parametrize(("declared", "arguments", "is_safe"), DECLARED)
async def test_a_call_may_overlap_only_if_the_predicate_says_exactly_true(
    harness: Harness, declared: Any, arguments: str, is_safe: bool
) -> None:
    schema = {"type": "object", "properties": {"dry": {"type": "boolean"}}}
    harness.add("tool", echo, is_concurrency_safe=declared, parameters=schema)
    async with harness.open() as pipeline:
        request = harness.request("tool", arguments)
        assert pipeline.is_concurrency_safe(request) is is_safe
        pending = pipeline.begin(request)
        assert pending.is_concurrency_safe is is_safe
        pipeline.abandon(pending)
        assert not pipeline.is_concurrency_safe(harness.request("hidden"))


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 10.1", "PIPELINE 4.5")
async def test_it_is_read_again_for_each_start(harness: Harness) -> None:
    answers = [True, False]
    harness.add("tool", echo, is_concurrency_safe=lambda arguments: answers.pop(0))
    async with harness.open() as pipeline:
        request = harness.request("tool")
        assert pipeline.is_concurrency_safe(request)
        assert not pipeline.is_concurrency_safe(request)


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 4.4")
async def test_a_restriction_hides_and_does_not_forbid_but_a_guard_does(harness: Harness) -> None:
    harness.add("tool", echo)
    agent = harness.registry.scope("agent")
    agent.restrict(deny=["tool"])
    child = harness.registry.scope("child", agent)
    async with harness.open():
        assert (await harness.call("tool", scope=agent)).code == "UNKNOWN_TOOL"
        # The same host may still call it elsewhere, or register it again nearer.
        assert not (await harness.call("tool")).is_error
        child.register(harness.registry.root.view()["tool"])
        assert not (await harness.call("tool", scope=child)).is_error
        agent.add("guard", lambda execution: "forbidden" if execution.name == "tool" else None)
        assert (await harness.call("tool", scope=child)).code == "DENIED"


@pytest.mark.anyio
async def test_an_abandoned_call_publishes_nothing_and_retires_its_token(harness: Harness) -> None:
    seen: list[str] = []
    harness.add("tool", echo)
    harness.registry.root.add("observer", lambda execution, result: seen.append(result.call_id))
    async with harness.open() as pipeline:
        pending = pipeline.begin(harness.request("tool"))
        pipeline.abandon(pending)
        with pytest.raises(Exception, match="has settled"):
            pipeline.begin(harness.request("tool", parent=pending.execution.token))
    assert pending.is_abandoned
    assert seen == []
