"""Nested outcomes wait for their parent's result."""

from __future__ import annotations

from typing import Any

import pytest
from pipeline_harness import Harness

from codemode.runtime.errors import ToolError
from codemode.runtime.execution import RunContext
from codemode.runtime.policy import Block
from codemode.runtime.provisional import ProvisionalCollector

pytestmark = pytest.mark.anyio


@pytest.fixture
def logs(harness: Harness) -> tuple[list[str], list[str]]:
    released: list[str] = []
    discarded: list[str] = []

    async def nest(arguments: Any, run: RunContext) -> None:
        for inner in arguments.get("calls", ()):
            await harness.call("nest", inner, parent=run.token, call_id=inner["id"])
        if arguments.get("fail"):
            raise ToolError("no")

    harness.add("nest", nest)
    harness.registry.root.add(
        "observer",
        ProvisionalCollector(
            lambda execution, result: released.append(result.call_id),
            lambda execution, result: discarded.append(result.call_id),
        ),
    )
    return released, discarded


@pytest.mark.spec("PIPELINE 6.21")
async def test_nested_results_are_released_when_the_whole_line_succeeds(
    harness: Harness, logs: tuple[list[str], list[str]]
) -> None:
    tree = {"calls": [{"id": "a", "calls": [{"id": "a.a"}]}, {"id": "b"}]}
    async with harness.open():
        await harness.call("nest", tree, call_id="root")
    assert logs == (["a.a", "a", "b", "root"], [])


@pytest.mark.spec("PIPELINE 6.21")
async def test_a_failing_parent_discards_what_was_nested_in_it_and_nothing_else(
    harness: Harness, logs: tuple[list[str], list[str]]
) -> None:
    tree = {"calls": [{"id": "a", "fail": True, "calls": [{"id": "a.a"}]}, {"id": "b"}]}
    async with harness.open():
        await harness.call("nest", tree, call_id="root")
    assert logs == (["a", "b", "root"], ["a.a"])


@pytest.mark.spec("PIPELINE 6.21", "PIPELINE 6.9")
async def test_a_blocked_parent_discards_too(
    harness: Harness, logs: tuple[list[str], list[str]]
) -> None:
    harness.registry.root.add(
        "post",
        lambda execution, outcome: None if execution.is_nested else Block(feedback="blocked"),
    )
    async with harness.open():
        await harness.call("nest", {"calls": [{"id": "a"}]}, call_id="root")
    assert logs == (["root"], ["a"])
