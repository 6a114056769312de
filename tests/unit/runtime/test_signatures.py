"""What people write in signatures, and what they are told where no model could call it."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn, NotRequired, Optional

import pytest
from pipeline_harness import Harness
from pydantic import AliasChoices, Field
from typing_extensions import ParamSpec, TypedDict, TypeVar, Unpack

from codemode.runtime.cancellation import CancelSignal
from codemode.runtime.definition import Tool
from codemode.runtime.errors import DefinitionError
from codemode.runtime.execution import RunContext
from codemode.runtime.function_tool import tool
from codemode.runtime.injected import Inject
from codemode.runtime.result import Result

P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class Point:
    x: int


class Options(TypedDict, total=False):
    depth: int
    near: Point


class Needed(TypedDict):
    depth: int
    label: NotRequired[str]


class Database:
    def query(self, sql: str) -> str:
        """Run a query.

        Args:
            sql: One statement.
        """
        return sql


async def connect() -> int:
    return 1


async def run(harness: Harness, made: Tool, arguments: Any) -> Result:
    harness.registry.register(made)
    async with harness.open():
        return await harness.call(made.name, arguments)


def faults(function: Callable[..., Any]) -> str:
    with pytest.raises(DefinitionError) as caught:
        tool(function)
    return str(caught.value)


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.1", "PIPELINE 2.5")
async def test_a_field_as_the_default_says_what_it_says_in_a_model(harness: Harness) -> None:
    @tool
    def f(
        a: int = Field(ge=1, description="how many"),
        b: int = Field(default=7, ge=1),
        c: list[int] = Field(default_factory=lambda: [1]),  # noqa: B008 - as authors write it
        d: Annotated[str, Field(default="d")] = "own",
    ) -> list[Any]:
        return [a, b, c, d]

    assert f.parameters["required"] == ["a"]
    assert f.parameters["properties"] == {
        "a": {"type": "integer", "minimum": 1, "description": "how many"},
        "b": {"type": "integer", "minimum": 1, "default": 7},
        "c": {"type": "array", "items": {"type": "integer"}},
        "d": {"type": "string", "default": "own"},
    }
    harness.registry.register(f)
    async with harness.open():
        assert (await harness.call("f", {"a": 2})).value == [2, 7, [1], "own"]
        assert (await harness.call("f", {"a": 2, "b": 3, "c": []})).value == [2, 3, [], "own"]
        assert (await harness.call("f", {"a": 2, "b": 0})).code == "INVALID_ARGS"
        assert (await harness.call("f", {})).code == "INVALID_ARGS"


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.1")
async def test_an_alias_is_the_name_on_the_wire(harness: Harness) -> None:
    @tool
    def f(
        from_: Annotated[str, Field(alias="from")],
        size: int = Field(default=1, validation_alias="pageSize"),
        many: Annotated[int, Field(validation_alias=AliasChoices("x", "y"))] = 3,
    ) -> list[Any]:
        return [from_, size, many]

    assert set(f.parameters["properties"]) == {"from", "pageSize", "many"}
    result = await run(harness, f, {"from": "a", "pageSize": 2})
    assert result.value == ["a", 2, 3]


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.2")
async def test_an_optional_context_is_still_the_runtimes(harness: Harness) -> None:
    @tool
    def f(
        a: int,
        run: RunContext | None = None,
        signal: Optional[CancelSignal] = None,  # noqa: UP045 - as many write it
    ) -> list[bool]:
        return [run is not None, signal is not None]

    assert set(f.parameters["properties"]) == {"a"}
    assert (await run(harness, f, {"a": 1})).value == [True, True]
    assert f(a=1) == [False, False]


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.2")
async def test_an_async_provider_is_refused_in_words(harness: Harness) -> None:
    @tool
    def f(db: Annotated[int, Inject(lambda run: connect())]) -> int:
        return db

    result = await run(harness, f, {})
    assert result.code == "TOOL_ERROR"
    assert "is async" in result.text


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.6")
async def test_an_unpacked_typed_dict_is_parameters(harness: Harness) -> None:
    @tool
    def f(a: int, **options: Unpack[Options]) -> list[Any]:
        return [a, sorted(options), options["near"].x if "near" in options else None]

    @tool
    def g(**options: Unpack[Needed]) -> None: ...

    assert f.parameters["additionalProperties"] is False
    assert f.parameters["required"] == ["a"]
    assert f.parameters["properties"]["depth"] == {"type": "integer"}
    assert g.parameters["required"] == ["depth"]
    harness.registry.register(f)
    async with harness.open():
        called = await harness.call("f", {"a": 1, "near": {"x": 4}})
        assert called.value == [1, ["near"], 4]
        assert (await harness.call("f", {"a": 1})).value == [1, [], None]
        assert (await harness.call("f", {"a": 1, "wide": 1})).code == "INVALID_ARGS"


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.4", "PIPELINE 2.6")
async def test_what_kwargs_take_is_judged_by_their_annotation(harness: Harness) -> None:
    @tool
    def f(a: int, **more: int) -> int:
        return a + sum(more.values())

    @tool
    def g(**points: Point) -> int:
        return sum(point.x for point in points.values())

    @tool
    def anything(**more: Any) -> None: ...

    assert f.parameters["additionalProperties"] == {"type": "integer"}
    assert anything.parameters["additionalProperties"] is True
    harness.registry.register(f)
    harness.registry.register(g)
    async with harness.open():
        assert (await harness.call("f", {"a": 1, "b": 2})).value == 3
        refused = await harness.call("f", {"a": 1, "b": "2", "c": 3})
        assert (await harness.call("g", {"p": {"x": 1}, "q": {"x": 2}})).value == 3
        assert (await harness.call("g", {"p": {"y": 1}})).code == "INVALID_ARGS"
    assert refused.code == "INVALID_ARGS"
    assert refused.text.splitlines()[1:] == [
        '/b: expected an integer, got "2"',
        "valid parameters: a: int, *: int",
    ]


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 1.6", "PIPELINE 2.2")
async def test_what_a_partial_has_bound_is_the_hosts(harness: Harness) -> None:
    def closed(sql: str, key: str, database: Database, n: int = 1) -> str:
        return f"{sql} {key} {n}"

    def opened(sql: str, **more: str) -> str:
        return f"{sql} {more['key']}"

    def unpacked(**options: Unpack[Options]) -> int:
        return options.get("depth", 0)

    bound = functools.partial(closed, key="secret", database=Database())
    plain = tool(name="closed")(functools.partial(bound, n=2))
    assert plain.parameters["properties"] == {"sql": {"type": "string"}}
    harness.registry.register(plain)
    harness.registry.register(tool(name="opened")(functools.partial(opened, key="secret")))
    harness.registry.register(tool(name="unpacked")(functools.partial(unpacked, depth=7)))
    async with harness.open():
        assert (await harness.call("closed", {"sql": "a"})).value == "a secret 2"
        assert (await harness.call("opened", {"sql": "a"})).value == "a secret"
        assert (await harness.call("unpacked", {})).value == 7
        for name, arguments in (
            ("closed", {"sql": "a", "key": "mine"}),
            ("opened", {"sql": "a", "key": "mine"}),
            ("unpacked", {"depth": 1}),
        ):
            assert (await harness.call(name, arguments)).code == "INVALID_ARGS", name


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.1", "PIPELINE 2.4")
async def test_kwargs_take_no_name_that_the_function_has_for_something_else(
    harness: Harness,
) -> None:
    @tool
    def aliased(x: Annotated[int, Field(alias="y", le=10)], **more: int) -> Any:
        return [x, more]

    @tool
    def positional(x: int = 0, /, **more: int) -> Any:
        return [x, more]

    class Service:
        def ask(self, **more: int) -> int:
            return len(more)

    harness.registry.register(aliased)
    harness.registry.register(positional)
    harness.registry.register(tool(Service().ask))
    async with harness.open():
        assert (await harness.call("aliased", {"y": 3, "z": 4})).value == [3, {"z": 4}]
        clash = await harness.call("aliased", {"y": 3, "x": 400})
        assert (clash.code, "x: write y" in clash.text) == ("INVALID_ARGS", True)
        assert (await harness.call("positional", {"x": 1})).value == [1, {}]
        assert (await harness.call("ask", {"other": 1})).value == 1
        assert (await harness.call("ask", {"self": 1})).code == "INVALID_ARGS"


@pytest.mark.anyio
async def test_a_function_that_never_returns_is_a_tool(harness: Harness) -> None:
    @tool
    def f() -> NoReturn:
        raise ValueError("never")

    assert (await run(harness, f, {})).text == "Error: never"


def test_partials_and_callable_objects_have_the_name_and_the_documentation_of_their_function() -> (
    None
):
    class Ask:
        """An instance of this asks."""

        def __call__(self, question: str) -> str:
            """Ask a question.

            Args:
                question: In English.
            """
            return question

    class Plain:
        """Do it plainly."""

        def __call__(self) -> None: ...

    asked = tool(Ask())
    assert (asked.name, asked.description) == ("Ask", "Ask a question.")
    assert asked.parameters["properties"]["question"]["description"] == "In English."
    assert tool(Plain()).description == "Do it plainly."
    partial = tool(functools.partial(Database().query))
    assert (partial.name, partial.description) == ("query", "Run a query.")
    assert partial.parameters["properties"]["sql"]["description"] == "One statement."


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.1")
async def test_the_result_of_an_async_function_in_a_sync_decorator_is_converted(
    harness: Harness,
) -> None:
    def timed(function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        @functools.wraps(function)
        def inner(*args: P.args, **kwargs: P.kwargs) -> Awaitable[R]:
            return function(*args, **kwargs)

        return inner

    @tool
    @timed
    async def f(x: int) -> Point:
        return Point(x)

    assert (await run(harness, f, {"x": 1})).value == {"x": 1}


@pytest.mark.spec("PIPELINE 1.4")
def test_each_refusal_says_what_to_do() -> None:
    def decorated(*args: Any, **kwargs: Any) -> None: ...

    def starred(*values: int) -> None: ...

    def takes(service: Database, call: Callable[[int], int], ok: int) -> None: ...

    def calls(call: Callable[[int], int]) -> None: ...

    def gives() -> Iterator[int]:
        return iter(())

    def ahead(text: Annotated[str, Field(pattern="^(?!x)a")]) -> None: ...

    def late(a: object) -> None: ...

    late.__annotations__["a"] = "Late"  # as if imported under TYPE_CHECKING

    refused: tuple[tuple[Callable[..., Any], str], ...] = (
        (Database.query, "take the bound method: tool(object.method)"),
        (Database, "a class cannot be a tool; give a function"),
        (lambda: None, "give it one: tool(name=...)"),
        (decorated, "the decorator needs functools.wraps"),
        (takes, "parameter service: Database has no JSON form; use a dataclass"),
        (takes, "Annotated[..., Inject(provider)]"),
        (calls, "parameter call: "),
        (gives, "its return type: "),
        (ahead, "look-ahead and look-behind, is not supported"),
        (late, "name 'Late' is not defined; they are needed at run time"),
    )
    for function, words in refused:
        assert words in faults(function), function
    assert "functools.wraps" not in faults(starred)
    for function in (takes, calls, gives):
        assert "arbitrary_types_allowed" not in faults(function)
