"""The usage rules of the prompt are true: a program that follows each sentence works, in a guest."""

from __future__ import annotations

import anyio
import pytest

from codemode import ToolRuntime
from codemode.runtime.definition import Tool
from codemode.runtime.function_tool import tool
from codemode.sdkgen.prompt import BRIEF_RULES, RULES


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


def meeting() -> Tool:
    """A tool whose calls return when two are under way at once."""
    both = anyio.Event()
    here: list[str] = []

    @tool(effects={"read"})
    async def meet(name: str) -> str:
        """Meet somebody."""
        here.append(name)
        if len(here) == 2:
            both.set()
        with anyio.fail_after(5):
            await both.wait()
        return "met"

    return meet


def runtime(*tools: Tool) -> ToolRuntime:
    return ToolRuntime(tools or (search, fail, meeting()), mode="code")


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
LEFT_OUT = """
try:
    tools.search(query="x", limit=None)
except ToolCallError as error:
    print(error.code)
tools.search(query="x")[0].limit
"""
FAILED = """
try:
    tools.fail(reason="why")
except ToolCallError as error:
    print(error.tool_name, error.code, "why" in error.message)
"""
SAID = "fail TOOL_ERROR True\n"
MEETING = """
import asyncio
async def main():
    return await asyncio.gather(tools.meet(name="one"), tools.meet(name="two"))
await main()
"""
#: Part of a rule -> programs that follow it, with the printed text and the result. Together the
#: parts are the whole text of the rules.
FOLLOWED: list[tuple[str, str, str, object]] = [
    (
        "Call `tools.name(arg=value)` with keyword arguments.",
        'tools.search(query="x")',
        "",
        [{"title": "x", "limit": "10"}],
    ),
    (
        "Call `tools.name(arg=value)` with keyword arguments.",
        'tools.search(query="x", limit=3)[0].limit',
        "",
        "3",
    ),
    (
        "Leave out what you do not need: `x?` is optional, not None.",
        LEFT_OUT,
        "INVALID_ARGS\n",
        "10",
    ),
    (
        "A name without a type is a str.",
        'print("search(query, limit?: int)" in catalog.search("find things")[0].signature)\n'
        'tools.search(query="3")[0].title',
        "True\n",
        "3",
    ),
    (
        "Results are dicts, lists and scalars;",
        'r = tools.search(query="x")\n[isinstance(r, list), isinstance(r[0], dict), r[0].title]',
        "",
        [True, True, "x"],
    ),
    (
        '`r["key"]` and `r.key` both work.',
        'r = tools.search(query="x")[0]\n[r["title"], r.title]',
        "",
        ["x", "x"],
    ),
    ("Plain code gets the value at once.", 'tools.search(query="x")[0].title', "", "x"),
    (
        "Inside `async def`, write `await tools.name(...)`;",
        'async def main():\n    return (await tools.search(query="x"))[0].title\nawait main()',
        "",
        "x",
    ),
    ("`asyncio.gather` overlaps calls that only read.", GATHER, "", "ab"),
    # Each of the two calls ends only when the other one has begun.
    ("`asyncio.gather` overlaps calls that only read.", MEETING, "", ["met", "met"]),
    ("A failed call raises `ToolCallError` (`tool_name`, `message`, `code`);", FAILED, SAID, None),
    ("catch it to go on.", CAUGHT, "fail TOOL_ERROR\nwent on\n", None),
    (
        "Only printed text and the last expression, or a top-level `return`, come back:",
        "print(1)\n2",
        "1\n",
        2,
    ),
    (
        "Only printed text and the last expression, or a top-level `return`, come back:",
        "print(1)\nreturn 3",
        "1\n",
        3,
    ),
    (
        "print what you need, not everything.",
        'r = tools.search(query="x")\nprint(r[0].title)',
        "x\n",
        None,
    ),
    (
        '`catalog.describe("name")` documents one tool.',
        'catalog.describe("search")[:12]',
        "",
        "tools.search",
    ),
    (
        '`catalog.search("words")` finds tools.',
        'catalog.search("find things")[0].name',
        "",
        "tools.search",
    ),
]


@pytest.mark.anyio
@pytest.mark.spec("SDK 4.3", "SDK 5.1")
@pytest.mark.parametrize(("rule", "program", "printed", "result"), FOLLOWED)
async def test_a_program_that_follows_a_rule_works(
    rule: str, program: str, printed: str, result: object
) -> None:
    assert any(rule in line for line in RULES)
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
def test_every_sentence_of_the_rules_is_followed_by_some_program() -> None:
    parts = dict.fromkeys(part for part, *_ in FOLLOWED)
    assert " ".join(parts) == " ".join(RULES)
    assert all(rule in " ".join(parts) for rule in BRIEF_RULES)


@pytest.mark.anyio
@pytest.mark.spec("SDK 4.3")
async def test_the_example_of_the_prompt_runs() -> None:
    async with runtime(search) as made:
        example = made.prompt().split("```python\n")[1].split("\n```")[0]
        outcome = await made.run_code(example)
    assert not outcome.is_error, outcome.content
    shown = str(outcome.content)
    assert "'title': '...'" in shown
    assert "INVALID_ARGS" not in shown
