"""What a host gives by mistake is refused where it is given, in words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import pytest

from codemode import Limits, ToolRuntime, tool
from codemode.runtime.definition import Tool
from codemode.runtime.errors import DefinitionError, MisuseError, ScopeError
from codemode.runtime.given import refuse_above


@tool
async def echo(x: int) -> int:
    return x


def plain(x: int) -> int:
    return x


class Channel:
    async def ask(self, request: object) -> object:
        return None


@pytest.mark.spec("CODE_MODE 1.1")
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"mode": "Code"}, "mode is 'native' or 'code' or 'both', not 'Code'"),
        ({"journal": "yes", "log": "a"}, "journal is 'full' or 'digest' or 'off', not 'yes'"),
        ({"isolation": None}, "isolation is 'A' or 'B' or 'B-' or 'unsafe', not None"),
        ({"typecheck": True}, "typecheck is 'off' or 'advise' or 'block', not True"),
        ({"max_parallel_sub_calls": 0}, "max_parallel_sub_calls is a number from 1 on, not 0"),
        ({"max_parallel_sub_calls": True}, "is a number from 1 on, not True"),
        ({"limits": {"wall_s": 3}}, "limits takes a Limits, not dict"),
        ({"redact": plain}, "redact takes a Redactor, not function"),
        ({"journal_retention": 3, "log": "a"}, "journal_retention takes a timedelta, not int"),
        ({"journal_file": "a"}, "journal_file is of a journal"),
        ({"approval": plain}, "approval takes an object with ask(), not function"),
        ({"approval": Channel}, "approval takes an object with ask(), not the class Channel"),
        ({"log": 3}, "log takes a path, or an object with append() and read(), not int"),
        ({"spill": "folder"}, "spill takes an object with put(), not str"),
        ({"sandbox": "unsafe"}, "sandbox takes an object with start() and run() and aclose()"),
        ({"guards": plain}, "guards takes a list, not function"),
        ({"policies": "deny"}, "policies takes a list, not str"),
        ({"tools": echo}, "tools takes a list, not Tool"),
        ({"tools": {"echo": echo}}, "tools takes a list, not dict"),
        ({"mode": "x", "typecheck": "y"}, "not 'x'; typecheck is"),
    ],
)
def test_each_option_says_what_it_takes(options: dict[str, Any], says: str) -> None:
    with pytest.raises(MisuseError) as caught:
        ToolRuntime(**options)
    assert says in str(caught.value)


@pytest.mark.spec("PIPELINE 1.4")
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ToolRuntime([plain]), "it is a function; make a tool of it: tool(...)"),  # type: ignore[list-item]
        (lambda: ToolRuntime([None]), "it is a NoneType; give a Tool"),  # type: ignore[list-item]
        (lambda: tool(echo), "'echo' is a tool already"),
        (lambda: tool("search"), "a name is given as tool(name=...)"),  # type: ignore[call-overload]
        (
            lambda: tool(timeout=3, nonsense=1)(plain),  # type: ignore[call-overload]
            "no option 'nonsense'; there is no option 'timeout'; did you mean 'timeout_s'?",
        ),
        (lambda: ToolRuntime([tool(effects="read")(plain)]), "effects must be several texts"),  # type: ignore[arg-type]
        (lambda: ToolRuntime([tool(aliases="old")(plain)]), "('old',), not 'old'"),
        (
            lambda: ToolRuntime([Tool.raw("a", "", {}, echo.execute, effects="read")]),
            "effects must be several texts",
        ),
        (lambda: ToolRuntime([tool(pin="wire")(plain)]), "pin is 'native' or 'code', not 'wire'"),  # type: ignore[call-overload]
    ],
)
def test_each_definition_says_what_is_wrong_with_it(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        make()
    assert says in str(caught.value)


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 6.19")
async def test_a_runtime_is_used_while_it_is_entered() -> None:
    runtime = ToolRuntime([echo])
    with pytest.raises(MisuseError, match="enter the runtime first"):
        await runtime.execute("echo", {"x": 1})
    async with runtime:
        with pytest.raises(MisuseError, match="entered already"):
            await runtime.__aenter__()
        assert (await runtime.execute("echo", {"x": 1})).value == 1  # and it goes on
    with pytest.raises(MisuseError, match="the runtime is closed"):
        await runtime.call("echo", {"x": 1})
    async with runtime:  # no sandbox of its own was closed with it
        assert (await runtime.execute("echo", {"x": 1})).value == 1


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 6.19")
async def test_what_is_given_to_a_call_is_judged_too() -> None:
    async with ToolRuntime([echo]) as runtime:
        wrong: Any = "a text"
        wrong_kind: Any = b"1"
        calls: list[tuple[Callable[[], Awaitable[Any]], str]] = [
            (
                lambda: runtime.execute("echo", {"x": 1}, scope=wrong),
                "scope takes a Scope, not str",
            ),
            (lambda: runtime.call("echo", {"x": {1}}), "the arguments are not JSON"),
            (lambda: runtime.run_code(wrong_kind), "the program must be text, not bytes"),
            (lambda: runtime.run_code("1", files={"a": wrong}), "encode the text"),
            (lambda: runtime.run_code("1", artifacts=wrong), "artifacts takes several patterns"),
        ]
        for call, says in calls:
            with pytest.raises(MisuseError, match=says):
                await call()
        with pytest.raises(MisuseError, match="'anthropic' or 'mcp', not 'gpt'"):
            runtime.wire_tools(dialect="gpt")  # type: ignore[arg-type]


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 6.19")
async def test_a_runtime_is_called_in_the_thread_of_its_event_loop(anyio_backend: str) -> None:
    async with ToolRuntime([echo]) as runtime:

        def elsewhere() -> int:
            with pytest.raises(MisuseError, match="another thread"):
                anyio.run(runtime.execute, "echo", {"x": 1}, backend=anyio_backend)
            result = anyio.from_thread.run(runtime.execute, "echo", {"x": 2})
            assert isinstance(result.value, int)
            return result.value

        assert await anyio.to_thread.run_sync(elsewhere) == 2


@pytest.mark.spec("PIPELINE 4.8", "PIPELINE 4.3")
def test_a_misspelt_kind_of_hook_is_no_hook_that_never_runs() -> None:
    scope = ToolRuntime([echo]).scope("agent")
    kind: Any = "guards"
    hook: Any = plain
    with pytest.raises(ScopeError, match="no kind of hook 'guards'; there are pre, guard"):
        scope.add(kind, hook)
    with pytest.raises(ScopeError, match="a list of names, not one text"):
        scope.restrict(deny="echo")


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        (Limits(memory_bytes=128 << 20), r"raise ToolRuntime\(limits=Limits\(memory_bytes="),
        (Limits(memory_bytes=1 << 20, cpu_s=9), "cpu_s=9 of this run is above the runtime's 5"),
    ],
)
def test_a_run_gets_no_more_than_a_waiting_guest_can_be_given(limits: Limits, says: str) -> None:
    ceilings = Limits(memory_bytes=64 << 20, cpu_s=5)
    refuse_above(ceilings, ceilings)
    with pytest.raises(MisuseError, match=says):
        refuse_above(limits, ceilings)
