"""The real type checker: mistakes it finds, right programs it leaves alone, and runs it serves."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from typing_extensions import TypedDict

from codemode import ToolRuntime, tool
from codemode.runtime.errors import MisuseError
from codemode.runtime.result import Result
from codemode.runtime.typecheck import Checker
from codemode.sdkgen import Sdk, ToolSpec, build_sdk

pytest.importorskip("ty", reason="ty is not installed: pip install codemode[typecheck]")
pytestmark = pytest.mark.anyio

ISSUE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "title": {"type": "string"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["id"],
}
FIND: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer"},
        "state": {"enum": ["open", "closed"]},
        "from": {"type": "string"},
    },
    "required": ["query"],
    "additionalProperties": False,
}
SDK = build_sdk(
    [
        ToolSpec("find", "Find issues.", FIND, {"type": "array", "items": ISSUE}),
        ToolSpec("issue", "One issue.", FIND, ISSUE),
        ToolSpec("raw", "Anything.", FIND),
        ToolSpec("open-one", "Any keys.", FIND, {**ISSUE, "additionalProperties": True}),
        ToolSpec("create", "Create one.", FIND, ISSUE, "github"),
    ]
)


@pytest.fixture
async def checker() -> AsyncGenerator[Checker]:
    async with Checker(deadline_s=60) as made:
        yield made


async def findings(checker: Checker, source: str, sdk: Sdk = SDK) -> list[str]:
    checked = await checker.check(sdk, source)
    assert checked.skipped is None
    return [f"{finding.line} {finding.rule}" for finding in checked.findings]


@pytest.mark.spec("SDK 6.1")
async def test_every_kind_of_mistake_is_found_on_its_line(checker: Checker) -> None:
    source = """\
a = tools.fnd(query="x")
b = tools.find(qurey="x")
c = tools.issue()
d = tools.issue(query=3)
e = tools.issue(query="x")["titel"]
f = tools.issue(query="x").titel
g = tools.find(query="x").title
h = github.crate(query="x")
i = tools.issue(query="x", state="opened")
j = reslut
k = catalog.serch("x")
for item in tools.find(query="x"):
    print(item["ide"])
"""
    assert await findings(checker, source) == [
        "1 unknown-tool",
        "2 missing-argument",
        "2 unknown-argument",
        "3 missing-argument",
        "4 argument-type",
        "5 unknown-key",
        "6 unknown-key",
        "7 unknown-key",
        "8 unknown-tool",
        "9 argument-type",
        "10 unresolved-name",
        "11 unknown-tool",
        "13 unknown-key",
    ]


@pytest.mark.spec("SDK 6.1", "SDK 2.5")
async def test_a_forgotten_await_is_found_in_coroutines_only(checker: Checker) -> None:
    source = """\
import asyncio
before = tools.issue(query="x")
print(before["id"])
async def main():
    issue = tools.issue(query="x")
    print(issue["id"], before["id"])
    github.create(query="x")
    for one in tools.find(query="x"):
        print(one)
    right = await tools.issue(query="x")
    print(right["id"], right.titel)
asyncio.run(main())
"""
    assert await findings(checker, source) == [
        "6 forgotten-await",
        "7 forgotten-await",
        "8 forgotten-await",
        "11 unknown-key",
    ]


RIGHT = {
    "plain code": """
import json, re
from collections import defaultdict
issue = tools.issue(query="x", limit=2)
print(issue.id + issue["id"], issue.title.upper(), issue.get("nothing"), {**issue}, dict(issue))
for key in issue:
    print(issue[key])
by = defaultdict(list)
for one in tools.find(query="x"):
    one["score"] = len(one["title"])
    by[one["score"]].append(one)
    if "error" in one:
        print(one["error"])
print(sorted(by), issue.labels.anything, issue["labels"]["bug"].upper())
print(tools.raw(query="x").what["ever"][0].it["is"])
print(tools.open_one(query="x").anything, tools["open-one"](query="x")["anything"])
return json.dumps(issue)
""",
    "calling habits": """
import tools as t, github
from tools import find, issue
tools.issue("x", 2)
tools.issue({"query": "x", "limit": 2})
given = {"query": "x", "limit": 2}
tools.issue(given)
tools.issue(**given)
tools.issue(**{"query": "x", "from": "y"})
tools.issue(query="x", from_="y")
tools.issue(query=find(query="x")[0].get("title"))
for state in ["open", "closed"]:
    t.issue(query="x", state=state)
github.create(query=issue(query="x").title)
print(tools, help(tools.issue), catalog.search("x")[0]["name"], tools.describe("find"))
""",
    "coroutines": """
import asyncio
from concurrent.futures import ThreadPoolExecutor
first = tools.issue(query="x")
def helper(query):
    return tools.issue(query=query)
async def one(query):
    return (await tools.issue(query=query))["id"]
async def main():
    both = await asyncio.gather(tools.issue(query="x"), github.create(query="y"))
    print(first["id"], both[0]["id"], both[1].title)
    print((await helper("x"))["id"], await one("y"))
    task = asyncio.create_task(tools.issue(query="x"))
    print((await task).title, (await asyncio.wait_for(tools.issue(query="x"), 3)).id)
    print((await asyncio.to_thread(tools.issue, query="x"))["id"])
    call = tools.issue
    print((await call(query="x"))["id"], [r.id for r in await tools.find(query="x")])
    for done in asyncio.as_completed([tools.issue(query=q) for q in "abc"]):
        print((await done)["id"])
    async with asyncio.TaskGroup() as group:
        made = [group.create_task(tools.issue(query=q)) for q in "abc"]
    print([m.result()["id"] for m in made], f"{(await tools.issue(query='x')).id}")
    with ThreadPoolExecutor() as pool:
        print([r["id"] for r in pool.map(lambda q: tools.issue(query=q), "abc")])
asyncio.run(main())
""",
    "top-level await": """
import asyncio
issue = await tools.issue(query="x")
print(issue["id"], issue.title)
pair = await asyncio.gather(*[tools.issue(query=q) for q in "ab"])
if not pair:
    return None
pair[0].title
""",
    "errors": """
try:
    tools.issue(query="x")
except ToolCallError as error:
    print(error.code, error.tool_name, error.message)
""",
    "other names": """
from __future__ import annotations
import numpy as np
from pandas import DataFrame
frame: Missing = DataFrame({"a": [1]})
frame.anything.at_all(np.array([1]).sum())
class Thing:
    pass
Thing().late = 3
print(Thing().late, "abc".nothing if frame else None)
""",
}


@pytest.mark.spec("SDK 6.1", "SDK 2.1", "SDK 2.4", "SDK 2.7")
@pytest.mark.parametrize("name", RIGHT)
async def test_a_right_program_has_no_findings(checker: Checker, name: str) -> None:
    assert await findings(checker, RIGHT[name]) == []


async def test_a_program_cannot_hide_a_mistake_with_a_comment(checker: Checker) -> None:
    source = "tools.fnd()  # type: ignore\ntools.fnd()  # ty: ignore\n"
    assert await findings(checker, source) == ["1 unknown-tool", "2 unknown-tool"]


async def test_each_sdk_is_checked_against_its_own_tools(checker: Checker) -> None:
    other = build_sdk([ToolSpec("elsewhere", "", FIND)])
    assert await findings(checker, "tools.elsewhere(query='x')\n", other) == []
    assert await findings(checker, "tools.elsewhere(query='x')\n") == ["1 unknown-tool"]
    assert await findings(checker, "tools.issue(query='x')\n", other) == ["1 unknown-tool"]


async def test_packages_of_the_host_are_not_looked_into(checker: Checker) -> None:
    assert await findings(checker, "from pydantic import BaseModel\nBaseModel.nothing\n") == []


# --- in a runtime -----------------------------------------------------------------------------


class Item(TypedDict):
    """One result."""

    id: int


@tool(effects={"read"})
async def search(query: str, limit: int = 10) -> list[Item]:
    """Search.

    Args:
        query: What to look for.
        limit: Most results.
    """
    return [{"id": limit}]


def noted(result: Result) -> Any:
    return (result.meta or {}).get("codemode", {}).get("typecheck")  # type: ignore[union-attr]  # JSON


@pytest.mark.spec("SDK 6.1", "CODE_MODE 2.4")
async def test_advice_comes_with_a_failure_and_changes_no_success() -> None:
    async with ToolRuntime([search], mode="code", typecheck="advise") as runtime:
        failed = await runtime.run_code("```python\nr = tools.search(query='x')\nr[0]['ide']\n```")
        worked = await runtime.run_code("if False:\n    tools.serch()\nprint('fine')")
    assert failed.error_info is not None
    assert failed.error_info.kind == "exception"
    assert "line 2: the result has no key `ide`; did you mean `id`?" in failed.text
    assert [finding["rule"] for finding in noted(failed)["findings"]] == ["unknown-key"]
    assert (worked.is_error, worked.text, worked.meta) == (False, "fine", None)


@pytest.mark.spec("SDK 6.1", "CODE_MODE 2.4")
async def test_blocking_refuses_before_anything_runs() -> None:
    called: list[str] = []

    @tool(effects={"write"})
    async def act(name: str) -> None:
        """Act."""
        called.append(name)

    async with ToolRuntime([act], mode="code", typecheck="block") as runtime:
        refused = await runtime.run_code("tools.act(name='first')\ntools.act(nam='x')\n")
        assert (refused.code, called) == ("CODE_RUN_FAILED", [])
        ran = await runtime.run_code("tools.act(name='first')\n")
    assert refused.error_info is not None
    assert refused.error_info.kind == "policy"
    assert "nothing was run" in refused.text
    assert "line 2: `tools.act` has no parameter `nam`; did you mean `name`?" in refused.text
    assert (ran.is_error, called) == (False, ["first"])


@pytest.mark.spec("SDK 6.1")
async def test_off_needs_no_package_and_the_others_say_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ty", None)
    ToolRuntime([search], mode="code")
    with pytest.raises(MisuseError, match=r"codemode\[typecheck\]"):
        ToolRuntime([search], mode="code", typecheck="advise")
