"""The contract test for authors finds what it promises to find."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from codemode.runtime.checking import ToolCheckError, check_tool
from codemode.runtime.definition import Tool
from codemode.runtime.execution import RunContext
from codemode.runtime.function_tool import tool

pytestmark = pytest.mark.anyio

DESCRIBED = {
    "type": "object",
    "properties": {"n": {"type": "integer", "description": "how many"}},
}


async def faults_of(made: Tool, *examples: dict[str, Any]) -> str:
    with pytest.raises(ToolCheckError) as caught:
        await check_tool(made, examples)
    return "\n".join(caught.value.faults)


def raw(handler: Any, **options: Any) -> Tool:
    options.setdefault("effects", {"read"})
    return Tool.raw("t", "Does it.", DESCRIBED, handler, **options)


@pytest.mark.spec("PIPELINE 1.8")
async def test_a_good_tool_passes() -> None:
    @tool(effects={"read"})
    async def double(n: int) -> int:
        """Double a number.

        Args:
            n: the number
        """
        return n * 2

    await check_tool(double, [{"n": 1}, {"n": 2}])


@pytest.mark.spec("PIPELINE 1.8")
async def test_every_fault_of_a_definition_is_listed() -> None:
    @tool
    def bare(n: int) -> int:
        return n

    said = await faults_of(bare)
    for fault in ("no description", "no effects", "parameter 'n' has no description", "no example"):
        assert fault in said
    assert "reserved" in await faults_of(
        Tool.raw("run_code", "", DESCRIBED, lambda a, r: None), {"n": 1}
    )


@pytest.mark.spec("PIPELINE 1.8")
async def test_normalisation_must_be_pure_and_settle() -> None:
    count = iter(range(100))

    async def body(arguments: Any, run: RunContext) -> None: ...

    def counting(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"n": next(count)}

    def growing(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"n": arguments["n"] + 1}

    assert "must be pure" in await faults_of(raw(body, normalize_arguments=counting), {"n": 1})
    assert "changes them again" in await faults_of(raw(body, normalize_arguments=growing), {"n": 1})


@pytest.mark.spec("PIPELINE 1.8")
async def test_failing_examples_and_unbounded_output_are_found() -> None:
    async def long(arguments: Any, run: RunContext) -> str:
        return "x" * 1_000_000

    assert "not bounded" in await faults_of(raw(long), {"n": 1})
    assert "expected an integer" in await faults_of(raw(long), {"n": "x"})


@pytest.mark.spec("PIPELINE 1.8")
async def test_a_finalizer_that_cannot_take_a_denial_is_found() -> None:
    async def body(arguments: Any, run: RunContext) -> dict[str, int]:
        return {"n": 1}

    def finalize(arguments: Any, outcome: Any) -> str:
        return str(outcome.value["n"])

    made = raw(body, finalize_content=finalize)
    assert "a denial of it ends as PIPELINE_FAILURE" in await faults_of(made, {"n": 1})


@pytest.mark.spec("PIPELINE 1.8")
async def test_a_tool_that_ignores_its_cancellation_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("codemode.runtime.checking.DRAIN_S", 0.01)
    releases: list[anyio.Event] = []

    async def stubborn(arguments: Any, run: RunContext) -> None:
        releases.append(anyio.Event())
        if len(releases) > 1:
            with anyio.CancelScope(shield=True):
                await releases[-1].wait()

    def finalise(arguments: Any, outcome: Any) -> None:
        if releases:
            releases[-1].set()

    made = raw(stubborn, finalize_content=finalise)
    assert "does not end within" in await faults_of(made, {"n": 1})
