"""How programs call bindings: arguments, namespaces, records, errors, handles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sandbox_runner import Run, running

from codemode.sandbox import Binding, Call, Parameter, Signature, ToolCallError


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    with running() as run:
        yield run


def echo(signature: Signature | None, **options: Any) -> Binding:
    """A binding that answers with the arguments it got."""

    async def handler(call: Call) -> Any:
        return call.arguments

    return Binding(handler=handler, signature=signature, **options)


PARAMETERS = (
    Parameter(key="from", name="from_", required=True),
    Parameter(key="limit", name="limit"),
)
SEARCH = echo(Signature(parameters=PARAMETERS, is_closed=True, doc="Searches."))
OPEN = echo(Signature(parameters=PARAMETERS))
OBJECT = echo(Signature(parameters=(Parameter(key="data", name="data", is_object=True),)))


@pytest.mark.spec("SDK 2.1", "SDK 1.4")
@pytest.mark.parametrize(
    "call",
    [
        "search(from_=1, limit=2)",
        "search(1, 2)",
        "search(1, limit=2)",
        "search({'from': 1, 'limit': 2})",
        "search({'from_': 1, 'limit': 2})",
        "search(**{'from': 1, 'limit': 2})",
        "search({'from': 1}, limit=2)",
    ],
)
def test_every_way_to_write_the_same_call(run: Run, call: str) -> None:
    outcome = run(f"return {call}", bindings={"search": SEARCH})
    assert outcome.failure is None
    assert outcome.result == {"from": 1, "limit": 2}


@pytest.mark.spec("SDK 2.1")
def test_a_dict_is_the_value_of_a_first_parameter_that_takes_objects(run: Run) -> None:
    assert run("return put({'data': 1})", bindings={"put": OBJECT}).result == {"data": {"data": 1}}


@pytest.mark.spec("SDK 2.2")
def test_what_was_not_passed_is_not_sent(run: Run) -> None:
    assert run("return search(1)", bindings={"search": SEARCH}).result == {"from": 1}
    assert run("return search(None)", bindings={"search": SEARCH}).result == {"from": None}


@pytest.mark.spec("SDK 2.3")
@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("search()", "missing: 'from_'"),
        ("search(1, limt=2)", "did you mean 'limit'?"),
        ("search(1, 2, 3)", "2 arguments, not 3"),
        ("search(1, from_=2)", "given twice"),
        ("search(from_=1, **{'from': 2})", "given twice"),
    ],
)
def test_a_wrong_call_is_refused_in_the_guest_with_the_way_to_write_it(
    run: Run, call: str, said: str
) -> None:
    source = f"try:\n    {call}\nexcept ToolCallError as e:\n    return [e.code, e.message]"
    outcome = run(source, bindings={"search": SEARCH})
    assert isinstance(outcome.result, list)
    code, message = outcome.result
    assert code == "INVALID_ARGS"
    assert said in str(message)
    assert "search(from_, limit=...)" in str(message)
    assert len(outcome.notices) == 1
    assert outcome.usage.calls == 0


@pytest.mark.spec("SDK 2.3")
def test_unknown_names_are_sent_where_the_root_is_open(run: Run) -> None:
    outcome = run("return search(1, more=2)", bindings={"search": OPEN})
    assert outcome.result == {"from": 1, "more": 2}


@pytest.mark.spec("CODE_MODE 3.2", "SANDBOX 4.5")
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("float('nan')", "/v: NaN"),
        ("{1: 2}", "/v/1: keys must be str"),
        ("b'x'", "/v: bytes is not JSON"),
        ("{1}", "/v: set is not JSON"),
        ("2**63", "64-bit"),
        ("'\\ud800'", "surrogates"),
        ("object()", "/v: object is not JSON"),
        ("loop", "contains itself"),
    ],
)
def test_arguments_that_are_not_json_fail_that_call_only(run: Run, value: str, said: str) -> None:
    source = (
        f"loop = []\nloop.append(loop)\n"
        f"try:\n    echo(v={value})\nexcept ToolCallError as e:\n    message = e.message\n"
        "return [message, echo(v=(1, 'x'))]"
    )
    outcome = run(source, bindings={"echo": echo(None)})
    assert isinstance(outcome.result, list)
    message, after = outcome.result
    assert said in str(message)
    assert after == {"v": [1, "x"]}


@pytest.mark.spec("SANDBOX 4.5")
def test_no_method_of_the_programs_objects_is_called_while_serialising(run: Run) -> None:
    source = """
class Hostile(dict):
    def items(self):
        print("called")
        return []
    __iter__ = keys = values = __len__ = items
try:
    echo(v=Hostile(a=1))
except ToolCallError as e:
    return e.message
"""
    outcome = run(source, bindings={"echo": echo(None)})
    assert "subclass of dict" in str(outcome.result)
    assert outcome.stdout == ""


@pytest.mark.spec("SDK 2.4")
def test_an_answer_is_a_dict_that_also_has_attributes(run: Run) -> None:
    source = """
import json, copy
r = echo(title="T", items=[{"n": 1}])
assert r.title == r["title"] == "T"
assert callable(r.items) and r["items"][0].n == 1
assert isinstance(r, dict) and r == {"title": "T", "items": [{"n": 1}]}
assert json.loads(json.dumps(r)) == r and copy.deepcopy(r) == r
match r:
    case {"title": t}:
        print(t, r)
try:
    r.titel
except AttributeError as e:
    print(e)
return echo(again=r)
"""
    outcome = run(source, bindings={"echo": echo(None)})
    assert outcome.failure is None
    assert "did you mean 'title'?" in outcome.stdout
    assert outcome.stdout.startswith("T {'title': 'T', 'items': [{'n': 1}]}\n")
    assert outcome.result == {"again": {"title": "T", "items": [{"n": 1}]}}


@pytest.mark.spec("SDK 1.3", "SDK 2.7")
def test_namespaces_can_be_imported_listed_and_indexed_by_the_exact_name(run: Run) -> None:
    source = """
import tools, github
from tools import search
from tools.github import get
assert search(1) == tools.search(1) == tools["se-arch"](1)
assert get(a=1) == github.get(a=1) == tools.github.get(a=1) == tools["get"](a=1)
print(tools)
help(tools.search)
try:
    tools.serch
except AttributeError as e:
    print(e)
"""
    bindings = {
        "tools.search": echo(SEARCH.signature, label="se-arch"),
        "tools.github.get": echo(None, label="get", aliases=("github.get",)),
    }
    outcome = run(source, bindings=bindings)
    assert outcome.failure is None, outcome.failure
    assert "tools.search(from_, limit=...)" in outcome.stdout
    assert "Searches." in outcome.stdout
    assert "did you mean 'search'?" in outcome.stdout


@pytest.mark.spec("SDK 1.3")
def test_a_hidden_binding_is_reachable_by_its_label_alone(run: Run) -> None:
    source = """
print(tools, dir(tools), hasattr(tools, "old"))
return tools["old-name"](a=1)
"""
    bindings = {
        "tools.old": echo(None, label="old-name", is_hidden=True),
        "tools.new": echo(None),
    }
    outcome = run(source, bindings=bindings)
    assert outcome.result == {"a": 1}
    assert "old" not in outcome.stdout
    assert outcome.stdout.endswith("False\n")


@pytest.mark.spec("SDK 2.5")
def test_the_same_function_blocks_in_plain_code_and_is_awaitable_in_a_coroutine(run: Run) -> None:
    source = """
import asyncio
def helper(x):
    return echo(x=x)
async def main():
    task = asyncio.create_task(echo(x=2))
    return [await echo(x=1), await task, await helper(3), *await asyncio.gather(echo(x=4), helper(5))]
print(echo(x=0))
return asyncio.run(main())
"""
    outcome = run(source, bindings={"echo": echo(None)})
    assert outcome.failure is None
    assert outcome.result == [{"x": n} for n in range(1, 6)]


@pytest.mark.spec("SDK 2.5")
@pytest.mark.parametrize(
    "use",
    [
        "h['a']",
        "h.title",
        "list(h)",
        "h + 1",
        "str(h)",
        "f'{h}'",
        "len(h)",
        "if h: pass",
        "h()",
        "h == 1",
    ],
)
def test_using_a_handle_without_await_says_so_and_calls_nothing(run: Run, use: str) -> None:
    source = f"async def main():\n    h = echo(x=1)\n    {use}\nawait main()"
    outcome = run(source, bindings={"echo": echo(None)})
    assert outcome.failure is not None
    assert outcome.failure.exception == "ForgottenAwaitError"
    assert "forgotten await, line 2" in outcome.failure.message
    assert outcome.failure.line == 3
    assert outcome.usage.calls == 0


@pytest.mark.spec("SDK 2.5")
def test_dropping_a_handle_says_so_at_the_end(run: Run) -> None:
    outcome = run(
        "async def main():\n    echo(x=1)\nawait main()\nprint('end')",
        bindings={"echo": echo(None)},
    )
    assert outcome.failure is not None
    assert "forgotten await, line 2" in outcome.failure.message
    assert outcome.stdout == "end\n"
    assert outcome.usage.calls == 0


@pytest.mark.spec("SDK 2.6")
def test_a_failing_call_raises_a_class_with_the_name_that_the_host_chose(run: Run) -> None:
    async def handler(call: Call) -> Any:
        raise ToolCallError(call.name, "not allowed here", "DENIED")

    source = """
try:
    tools.delete(id=1)
except ToolCallError as e:
    print(type(e).__name__, e.tool_name, e.code, e.message, isinstance(e, Exception), str(e))
tools.delete(id=2)
"""
    outcome = run(source, bindings={"tools.delete": Binding(handler=handler)})
    assert outcome.stdout == (
        "ToolCallError tools.delete DENIED not allowed here True not allowed here [DENIED]\n"
    )
    assert outcome.failure is not None
    assert outcome.failure.message == "ToolCallError: not allowed here [DENIED]"
    assert outcome.failure.line == 6
    assert outcome.failure.exception == "ToolCallError"


def test_plain_functions_of_the_host_become_bindings(run: Run) -> None:
    def add(a: int, b: int = 2) -> int:
        """Adds."""
        return a + b

    async def twice(*, value: dict[str, Any]) -> list[Any]:
        value["n"] = 1
        return [value, value]

    outcome = run("return [add(1), twice({'k': []})]", bindings={"add": add, "twice": twice})
    assert outcome.failure is None
    assert outcome.result == [3, [{"k": [], "n": 1}, {"k": [], "n": 1}]]


def test_the_line_of_a_call_is_the_programs(run: Run) -> None:
    lines: list[int | None] = []

    async def handler(call: Call) -> Any:
        lines.append(call.line)

    source = "import asyncio\nf()\ndef g():\n    f()\ng()\nasync def h():\n    await f()\nasyncio.run(h())\n"
    assert run(source, bindings={"f": Binding(handler=handler)}).failure is None
    assert lines == [2, 4, 7]
