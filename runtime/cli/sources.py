"""Where the command line's tools come from: Python modules and MCP servers.

The operator names both, so both are trusted to run; what an MCP server's tools may do is for the
policy (see approval.py).
"""

from __future__ import annotations

import importlib
import os
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any, cast

from codemode.runtime.definition import RUN_CODE, Tool
from codemode.runtime.errors import MisuseError
from codemode.runtime.function_tool import tool as make_tool
from codemode.runtime.hosts.mcp import McpServer, mcp_tools


def python_tools(reference: str) -> list[Tool]:
    """The tools that `MODULE:NAME` names: one tool, one function, or a list of them.

    Raises:
        MisuseError: The module cannot be imported, or the name is not tools.
    """
    module_name, colon, name = reference.partition(":")
    if not (module_name and colon and name):
        raise MisuseError(f"--tools {reference!r}: expected MODULE:NAME, such as my_tools:TOOLS")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # the operator's module may raise anything
        raise MisuseError(f"--tools {reference!r}: {type(error).__name__}: {error}") from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise MisuseError(f"--tools {reference!r}: {module_name} has no {name!r}")
        found = getattr(found, part)
    items = cast("Iterable[Any]", found) if isinstance(found, (list, tuple, set)) else (found,)
    return [_as_tool(item, reference) for item in items]


def _as_tool(item: object, reference: str) -> Tool:
    if isinstance(item, Tool):
        return item
    if callable(item):
        return make_tool(cast("Callable[..., Any]", item))
    raise MisuseError(
        f"--tools {reference!r}: {type(item).__name__} is neither a tool nor a function"
    )


@asynccontextmanager
async def collect(references: Iterable[str], servers: Iterable[str]) -> AsyncGenerator[list[Tool]]:
    """All tools that the command line names; servers end with the context.

    Raises:
        MisuseError: A reference is wrong.
        McpServerError: A server cannot be reached.
    """
    tools = [tool for reference in references for tool in python_tools(reference)]
    async with AsyncExitStack() as stack:
        for text in servers:
            tools += await stack.enter_async_context(mcp_tools(McpServer.parse(text)))
        yield told_apart(tools)


def told_apart(tools: list[Tool]) -> list[Tool]:
    """The tools under names that differ: a server cannot know what the others call theirs.

    A server's tool whose name another tool has, or the engine, gets its group in front, as
    `git__search`; the operator's own keep their names.
    """
    count = Counter(tool.name for tool in tools)
    count[RUN_CODE] += 1
    return [
        replace(tool, name=f"{tool.group}__{tool.name}")
        if tool.is_adapted and count[tool.name] > 1
        else tool
        for tool in tools
    ]
