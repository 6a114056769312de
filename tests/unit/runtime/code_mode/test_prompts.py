"""The SDK text of a scope in `both`: brief only about what the native list has."""

from __future__ import annotations

import json
from typing import Literal

import pytest

from codemode import ToolRuntime
from codemode.runtime.definition import RUN_CODE, Tool
from codemode.sdkgen.beside import RUN_CODE_TOKENS


def tool(name: str, pin: Literal["code"] | None = None) -> Tool:
    """A tool with one parameter."""
    schema = {"type": "object", "properties": {"place": {"type": "string"}}}
    return Tool.raw(name, f"The tool {name}.", schema, lambda a, r: None, pin=pin)


@pytest.mark.spec("CODE_MODE 1.2", "SDK 4.1")
def test_beside_the_native_list_nothing_is_said_twice() -> None:
    text = ToolRuntime([tool("one"), tool("two")], mode="both").prompt()
    assert "one" in text
    assert "The tool one" not in text
    assert "place?" not in text


@pytest.mark.spec("CODE_MODE 1.6", "SDK 4.1")
def test_a_tool_that_only_programs_may_call_is_shown_in_full() -> None:
    text = ToolRuntime([tool("one"), tool("two", pin="code")], mode="both").prompt()
    assert "two(place?) # The tool two" in text


@pytest.mark.spec("SDK 4.1")
def test_run_code_takes_no_more_than_is_set_aside_for_it() -> None:
    runtime = ToolRuntime(mode="code")
    (listed,) = runtime.wire_tools(dialect="mcp")
    assert listed["name"] == RUN_CODE
    # English and JSON are above 4.7 characters a token here: 98 tokens of o200k.
    assert len(json.dumps(listed, separators=(",", ":"))) / 4.7 <= RUN_CODE_TOKENS
