"""The usage rules of the prompt are true: a program that follows each sentence works, in a guest."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from codemode import ToolRuntime
from codemode.runtime.function_tool import tool
from codemode.sandbox.errors import SandboxUnavailableError
from codemode.sdkgen.prompt import RULES


@tool
async def search(query: str, limit: int = 10) -> list[dict[str, str]]:
    """Find things.

    Args:
        query: what to look for
        limit: most results
    """
    return [{"title": query, "limit": str(limit)}]


@tool
async def fail(reason: str) -> str:
    """Fail always."""
    raise ValueError(reason)


@asynccontextmanager
async def runtime() -> AsyncGenerator[ToolRuntime]:
    try:
        async with ToolRuntime([search, fail], mode="code") as made:
            yield made
    except SandboxUnavailableError as error:
        pytest.skip(f"no sandbox on this machine: {error}")


GATHER = """
import asyncio
async def main():
    one, two = await asyncio.gather(tools.search(query="a"), tools.search(query="b"))
    return one[0].title + two[0].title
await main()
"""
CAUGHT = """
try:
    tools.fail(reason="why")
except ToolCallError as error:
    print(error.tool_name, error.code)
print("went on")
"""
#: A rule's opening words -> programs that follow it, with the printed text and the result.
FOLLOWED: list[tuple[str, str, str, object]] = [
    (
        "Call `tools.name(arg=value)`",
        'tools.search(query="x")',
        "",
        [{"title": "x", "limit": "10"}],
    ),
    ("Call `tools.name(arg=value)`", 'tools.search(query="x", limit=3)[0].limit', "", "3"),
    ("Results are dicts", 'r = tools.search(query="x")[0]\n[r["title"], r.title]', "", ["x", "x"]),
    ("Plain code gets the value at once", 'tools.search(query="x")[0].title', "", "x"),
    ("Plain code gets the value at once", GATHER, "", "ab"),
    ("A failed call raises", CAUGHT, "fail TOOL_ERROR\nwent on\n", None),
    ("Only printed text", "print(1)\n2", "1\n", 2),
    ("Only printed text", "print(1)\nreturn 3", "1\n", 3),
    ('`catalog.search("words")`', 'catalog.search("find things")[0].name', "", "tools.search"),
    ('`catalog.search("words")`', 'catalog.describe("search")[:12]', "", "tools.search"),
]


@pytest.mark.anyio
@pytest.mark.spec("SDK 4.3", "SDK 5.1")
@pytest.mark.parametrize(("rule", "program", "printed", "result"), FOLLOWED)
async def test_a_program_that_follows_a_rule_works(
    rule: str, program: str, printed: str, result: object
) -> None:
    assert any(line.startswith(rule) for line in RULES)
    async with runtime() as made:
        outcome = await made.run_code(program)
    assert not outcome.is_error, outcome.content
    value = outcome.value
    assert isinstance(value, dict)
    logs = value["logs"]
    assert isinstance(logs, list)
    texts = [entry["text"] for entry in logs if isinstance(entry, dict)]
    assert "".join(map(str, texts)) == printed
    assert value.get("result") == result


@pytest.mark.spec("SDK 4.3")
def test_every_rule_is_followed_by_some_program() -> None:
    assert all(any(line.startswith(rule) for rule, *_ in FOLLOWED) for line in RULES)


@pytest.mark.anyio
@pytest.mark.spec("SDK 4.3")
async def test_the_example_of_the_prompt_runs() -> None:
    async with runtime() as made:
        example = made.prompt().split("```python\n")[1].split("\n```")[0]
        outcome = await made.run_code(example)
    assert not outcome.is_error, outcome.content
