"""Tools in the shapes that real sources have: each renders, and its valid arguments arrive exactly."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import round_trip
import schema_values

from codemode.sdkgen import ToolSpec, build_sdk
from codemode.sdkgen.files import read_tools

SOURCE = Path(round_trip.__file__).with_name("strange_tools.jsonl")
TOOLS = read_tools(SOURCE.read_text("utf-8"))
#: Tools that no arguments object can satisfy, with the reason.
UNSATISFIABLE = {
    "enum_int_str": "the values of the enum are texts, the type is integer",
    "never_root": "the root refuses everything",
    "props_type_string": "the arguments would be a text",
    "recursive_must": "every object needs another one inside",
    "required_ghost": "the root is closed and requires what it does not declare",
    "unsat": "the only value is shorter than the least length",
}


@pytest.mark.spec("SDK 3.1", "SDK 4.4", "SDK 6.2")
def test_the_whole_set_renders_in_every_form() -> None:
    sdk = build_sdk(TOOLS)
    assert len({binding.path for binding in sdk.bindings}) == len(TOOLS)
    for text in (sdk.stubs(), sdk.stubs(is_async=True), sdk.stubs(is_strict=True)):
        ast.parse(text)
    for binding in sdk.bindings:
        assert sdk.describe(binding.path)
        assert sdk.explain(binding.path).text()


@pytest.mark.anyio
@pytest.mark.spec("SDK 1.4", "SDK 2.1", "SDK 2.2", "SDK 3.1")
@pytest.mark.parametrize("tool", TOOLS, ids=[f"{at}" for at in range(len(TOOLS))])
async def test_valid_arguments_arrive_exactly(tool: ToolSpec) -> None:
    cases = schema_values.arguments(tool, 12)
    assert bool(cases) is (tool.name not in UNSATISFIABLE), schema_values.obstacle(tool)
    assert not await round_trip.fault(tool, cases)
