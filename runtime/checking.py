"""The contract test for authors of tools: run it on every tool, with a few example calls.

Everything that is wrong is listed at once. The checks run the real pipeline, so the examples must
be safe to execute; docs/tools.md is the checklist in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import anyio

from codemode.runtime.arguments import ArgumentsError, prepare_arguments, read_arguments
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.contract import Contract
from codemode.runtime.definition import Tool
from codemode.runtime.errors import DefinitionError
from codemode.runtime.execution import CallRequest, Execution
from codemode.runtime.jsontext import compact
from codemode.runtime.pipeline import Pipeline
from codemode.runtime.policy import Deny
from codemode.runtime.registry import Registry
from codemode.runtime.result import Result
from codemode.runtime.scope import Scope
from codemode.sandbox.values import thaw

MAX_SCHEMA_BYTES: Final = 8_192
DRAIN_S: Final = 2.0


class ToolCheckError(AssertionError):
    """A tool breaks its contract.

    Attributes:
        faults: Each one says what to change.
    """

    def __init__(self, tool_name: str, faults: tuple[str, ...]) -> None:
        super().__init__(f"tool {tool_name!r}: " + "; ".join(faults))
        self.faults = faults


async def check_tool(tool: Tool, examples: Iterable[Mapping[str, Any]]) -> None:
    """Check the definition, then run every example through a pipeline.

    Args:
        examples: Arguments that must succeed; at least one.

    Raises:
        ToolCheckError: With every fault that was found.
    """
    registry = Registry()
    calls = [dict(example) for example in examples]
    try:
        registry.register(tool)
    except DefinitionError as error:
        raise ToolCheckError(tool.name, error.faults) from error
    contract = registry.root.view().contract(tool.name)
    if contract is None:
        raise ToolCheckError(tool.name, ("it was registered and is not visible",))
    faults = _definition_faults(contract)
    if not calls:
        faults.append("no example was given")
    async with Pipeline(registry, drain_s=DRAIN_S) as pipeline:
        for call in calls:
            faults.extend(_argument_faults(contract, call))
            faults.extend(await _run_faults(pipeline, registry.root, tool, call))
    if faults:
        raise ToolCheckError(tool.name, tuple(dict.fromkeys(faults)))


def _definition_faults(contract: Contract) -> list[str]:
    tool = contract.tool
    faults: list[str] = []
    if not tool.description.strip():
        faults.append("it has no description")
    if not tool.effects:
        faults.append("it declares no effects; policies by effect cannot see it")
    size = len(compact(thaw(dict(tool.parameters))).encode())
    if size > MAX_SCHEMA_BYTES:
        faults.append(f"its parameter schema takes {size} bytes; at most {MAX_SCHEMA_BYTES}")
    properties: Any = tool.parameters.get("properties") or {}
    faults.extend(
        f"parameter {name!r} has no description"
        for name, schema in properties.items()
        if isinstance(schema, Mapping) and "description" not in schema
    )
    return faults


def _argument_faults(contract: Contract, call: dict[str, Any]) -> list[str]:
    """Normalisation is pure, and has nothing left to do the second time."""
    try:
        submitted = read_arguments(call)
        first = prepare_arguments(contract, submitted).value
        second = prepare_arguments(contract, submitted).value
        again = prepare_arguments(contract, first).value
    except ArgumentsError as error:
        return [f"example {call!r:.200}: {error.message}"]
    faults: list[str] = []
    if first != second:
        faults.append("normalising the same arguments twice gives two results; it must be pure")
    if again != first:
        faults.append("normalising normalised arguments changes them again")
    return faults


async def _run_faults(
    pipeline: Pipeline, root: Scope, tool: Tool, call: dict[str, Any]
) -> list[str]:
    faults: list[str] = []
    result = await pipeline.execute(_request(tool, call))
    if result.is_error:
        faults.append(f"example {call!r:.200} failed: {result.text[:500]}")
    if "spill" in result.replaced_by:
        faults.append("its output is not bounded: page it, or cut it in the tool")
    faults.extend(await _denial_faults(pipeline, root, tool, call))
    aborted = await _aborted(pipeline, tool, call)
    if aborted.code == "UNKNOWN_OUTCOME":
        faults.append(f"it does not end within {DRAIN_S:g} s of its cancellation")
    return faults


def _deny(_: Execution) -> Deny:
    return Deny("denied by the check")


async def _denial_faults(
    pipeline: Pipeline, root: Scope, tool: Tool, call: dict[str, Any]
) -> list[str]:
    remove = root.add("pre", _deny)
    try:
        denied = await pipeline.execute(_request(tool, call))
    finally:
        remove()
    if denied.code != "DENIED":
        return [f"a denial of it ends as {denied.code}: {denied.text[:500]}"]
    return []


async def _aborted(pipeline: Pipeline, tool: Tool, call: dict[str, Any]) -> Result:
    """A call whose caller gives up as soon as its body waits for something."""
    source = CancelSource()
    results: list[Result] = []

    async def run() -> None:
        results.append(await pipeline.execute(_request(tool, call, source)))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await anyio.wait_all_tasks_blocked()
        source.cancel("the check cancels it")
    return results[0]


def _request(tool: Tool, call: dict[str, Any], source: CancelSource | None = None) -> CallRequest:
    return CallRequest(
        call_id="check",
        name=tool.name,
        arguments=call,
        is_host=True,
        signal=None if source is None else source.signal,
    )
