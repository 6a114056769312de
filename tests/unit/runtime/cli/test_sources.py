from __future__ import annotations

from typing import Any

from codemode.runtime.cli.sources import told_apart
from codemode.runtime.definition import Tool
from codemode.runtime.registry import Registry


def named(name: str, group: str | None = None) -> Tool:
    """A tool of a server, or with no group the operator's own."""
    schema: dict[str, Any] = {"type": "object"}
    return Tool.raw(
        name, "", schema, lambda arguments, run: None, group=group, is_adapted=group is not None
    )


def test_tools_of_two_servers_with_one_name_are_told_apart_by_their_groups() -> None:
    tools = [named("search", "git"), named("log", "git"), named("search", "docs")]
    names = [tool.name for tool in told_apart(tools)]
    assert names == ["git__search", "log", "docs__search"]


def test_the_operator_s_own_tool_keeps_its_name_and_a_server_s_run_code_gets_another() -> None:
    tools = [named("search"), named("search", "docs"), named("run_code", "front")]
    apart = told_apart(tools)
    assert [tool.name for tool in apart] == ["search", "docs__search", "front__run_code"]
    registry = Registry(mode="code")
    for tool in apart:
        registry.register(tool)
