"""`@tool`: schemas, conversion and injection for the annotations that people write."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NotRequired,
    Optional,
    TypeVar,
    Union,
)
from uuid import UUID

import pytest
from pipeline_harness import Harness
from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import TypedDict

from codemode.runtime.cancellation import CancelSignal
from codemode.runtime.definition import Output, Tool
from codemode.runtime.errors import DefinitionError
from codemode.runtime.execution import RunContext
from codemode.runtime.function_tool import tool
from codemode.runtime.injected import Inject
from codemode.runtime.result import Result

T = TypeVar("T")


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: int = 0


class Row(TypedDict):
    id: int
    label: NotRequired[str]


class Issue(BaseModel):
    title: str
    labels: list[str] = []


class Page(BaseModel, Generic[T]):
    items: list[T]
    more: bool = False


class Pair(NamedTuple):
    left: int
    right: str


def is_even(value: int) -> int:
    if value % 2:
        raise ValueError("must be even")
    return value


async def run(harness: Harness, made: Tool, arguments: Any) -> Result:
    harness.registry.register(made)
    async with harness.open():
        return await harness.call(made.name, arguments)


@pytest.mark.spec("PIPELINE 2.1", "PIPELINE 2.6")
def test_the_schema_comes_from_the_signature_and_the_docstring() -> None:
    @tool
    async def search(query: str, limit: int = 10, *, exact: bool = False) -> list[dict[str, str]]:
        """Search the catalogue.

        Args:
            query: what to look for
            limit: most results to return
        """
        return []

    assert search.name == "search"
    assert search.description == "Search the catalogue."
    assert search.is_async
    assert search.parameters == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "what to look for"},
            "limit": {"type": "integer", "default": 10, "description": "most results to return"},
            "exact": {"type": "boolean", "default": False},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
    assert search.output is not None
    assert search.output.schema == {
        "type": "array",
        "items": {"type": "object", "additionalProperties": {"type": "string"}},
    }


@pytest.mark.spec("PIPELINE 2.1")
@pytest.mark.parametrize(
    "docstring",
    [
        "Do it.\n\n    Args:\n        a (int): the first\n            of two\n        b: the second\n\n    Returns:\n        nothing\n    ",
        "Do it.\n\n    Parameters\n    ----------\n    a : int\n        the first\n        of two\n    b : int, optional\n        the second\n\n    Returns\n    -------\n    int\n    ",
        "Do it.\n\n    :param int a: the first\n        of two\n    :param b: the second\n    :returns: nothing\n    ",
    ],
)
def test_descriptions_are_read_from_all_three_conventions(docstring: str) -> None:
    def both(a: int, b: int = 0) -> int:
        return a + b

    both.__doc__ = docstring
    made = tool(both)
    assert made.description == "Do it."
    properties = made.parameters["properties"]
    assert properties["a"]["description"] == "the first of two"
    assert properties["b"]["description"] == "the second"


@pytest.mark.spec("PIPELINE 2.1")
def test_an_annotated_description_wins() -> None:
    @tool
    def f(a: Annotated[int, Field(description="own", ge=1)], b: Annotated[str, "short"]) -> None:
        """Do it.

        Args:
            a: from the docstring
        """

    assert f.parameters["properties"]["a"] == {
        "type": "integer",
        "minimum": 1,
        "description": "own",
    }
    assert f.parameters["properties"]["b"]["description"] == "short"


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.1")
@pytest.mark.parametrize(
    ("annotation", "sent", "received"),
    [
        (str, "x", "x"),
        (int, 1.0, 1),
        (float, 1, 1.0),
        (bool, True, True),
        (Optional[int], None, None),  # noqa: UP045 - people write it
        (int | None, 3, 3),
        (Union[int, str], "x", "x"),  # noqa: UP007 - people write it
        (Literal["a", "b"], "b", "b"),
        (Literal[1, "b"], 1, 1),
        (list[int], [1, 2], [1, 2]),
        (Sequence[str], ["a"], ["a"]),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (tuple[int, str], [1, "a"], (1, "a")),
        (set[int], [1, 2], {1, 2}),
        (Any, {"a": [1]}, {"a": [1]}),
        (dict, {"a": 1}, {"a": 1}),
        (list, [1], [1]),
        (date, "2024-05-01", date(2024, 5, 1)),
        (datetime, "2024-05-01T10:00:00", datetime(2024, 5, 1, 10)),
        (timedelta, "PT5S", timedelta(seconds=5)),
        (Decimal, "1.10", Decimal("1.10")),
        (
            UUID,
            "12345678-1234-5678-1234-567812345678",
            UUID("12345678-1234-5678-1234-567812345678"),
        ),
        (Path, "a/b", Path("a/b")),
        (bytes, "abc", b"abc"),
        (Color, "red", Color.RED),
        (Point, {"x": 1}, Point(1)),
        (Row, {"id": 1}, {"id": 1}),
        (Issue, {"title": "t"}, Issue(title="t")),
        (list[Issue], [{"title": "t"}], [Issue(title="t")]),
        (Page[int], {"items": [1]}, Page[int](items=[1])),
        (Pair, [1, "a"], Pair(1, "a")),
        (Annotated[int, AfterValidator(is_even)], 2, 2),
    ],
)
async def test_arguments_arrive_as_the_annotated_types(
    harness: Harness, annotation: Any, sent: Any, received: Any
) -> None:
    got: list[Any] = []

    def f(value: Any) -> None:  # the real annotation is the test's parameter
        got.append(value)

    f.__annotations__ = {"value": annotation, "return": None}
    result = await run(harness, tool(f), {"value": sent})
    assert not result.is_error, result.text
    assert got == [received]
    assert type(got[0]) is type(received)


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.4")
@pytest.mark.parametrize(
    ("annotation", "sent", "says"),
    [
        (int, "1", "expected an integer"),
        (date, "yesterday", "value: Input should be a valid date"),
        (Annotated[int, AfterValidator(is_even)], 3, "must be even"),
        (Color, "green", "expected one of"),
        (Decimal, "1.x", "value: "),
    ],
)
async def test_what_has_no_value_of_the_type_is_a_bad_argument_and_nothing_runs(
    harness: Harness, annotation: Any, sent: Any, says: str
) -> None:
    def f(value: Any) -> None:  # the real annotation is the test's parameter
        raise AssertionError("the body must not run")

    f.__annotations__ = {"value": annotation}
    result = await run(harness, tool(f), {"value": sent})
    assert result.code == "INVALID_ARGS"
    assert says in result.text


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.1", "PIPELINE 1.2")
@pytest.mark.parametrize(
    ("annotation", "value", "canonical"),
    [
        (Issue, Issue(title="t"), {"title": "t", "labels": []}),
        (list[Point], [Point(1, 2)], [{"x": 1, "y": 2}]),
        (datetime, datetime(2024, 5, 1, 10), "2024-05-01T10:00:00"),
        (Color, Color.RED, "red"),
        (set[int], {1}, [1]),
        (tuple[int, str], (1, "a"), [1, "a"]),
        (
            Page[Issue],
            Page[Issue](items=[Issue(title="t")]),
            {"items": [{"title": "t", "labels": list[str]()}], "more": False},
        ),
        (dict[str, Any], {"a": [1]}, {"a": [1]}),
        (Row, {"id": 1}, {"id": 1}),
        (None, None, None),
        (Any, [1], [1]),
    ],
)
async def test_results_become_json_of_the_return_type(
    harness: Harness, annotation: Any, value: Any, canonical: Any
) -> None:
    async def f() -> Any:  # the real annotation is the test's parameter
        return value

    f.__annotations__ = {"return": annotation}
    result = await run(harness, tool(f), {})
    assert result.value == canonical


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 6.7")
async def test_a_result_of_another_type_than_declared_is_invalid_output(harness: Harness) -> None:
    @tool
    async def f() -> int:
        return "seven"  # type: ignore[return-value]

    assert (await run(harness, f, {})).code == "INVALID_TOOL_OUTPUT"


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.2")
async def test_injected_parameters_are_in_no_schema_and_no_model_may_name_them(
    harness: Harness,
) -> None:
    seen: list[Any] = []

    @tool
    async def f(
        a: int,
        ctx: RunContext,
        signal: CancelSignal,
        db: Annotated[dict[str, int], Inject(lambda run: {"rows": 3})],
        **rest: Any,
    ) -> int:
        seen.append((ctx.call_id, signal.is_cancelled, rest))
        return a + db["rows"]

    assert set(f.parameters["properties"]) == {"a"}
    harness.registry.register(f)
    async with harness.open():
        result = await harness.call("f", {"a": 1, "more": [1]}, call_id="c")
        refused = await harness.call("f", {"a": 1, "ctx": {}})
    assert result.value == 4
    assert seen == [("c", False, {"more": [1]})]
    assert refused.code == "INVALID_ARGS"
    assert "'ctx' is set by the runtime" in refused.text


@pytest.mark.spec("PIPELINE 2.6")
def test_kwargs_open_the_root_and_nothing_else_does() -> None:
    @tool
    def opened(a: int, **rest: int) -> None: ...

    @tool
    def closed(a: int) -> None: ...

    assert opened.parameters["additionalProperties"] is not False
    assert closed.parameters["additionalProperties"] is False


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.5")
async def test_a_python_default_is_the_functions_own(harness: Harness) -> None:
    marker = object()

    @tool
    def f(a: Any = marker, b: int = 5) -> list[bool]:
        return [a is marker, b == 5]

    assert (await run(harness, f, {})).value == [True, True]


@pytest.mark.anyio
async def test_awkward_parameter_names_are_just_names(harness: Harness) -> None:
    @tool
    def f(_hidden: int, model_dump: str, schema: str = "s", json: bool = True) -> list[Any]:
        return [_hidden, model_dump, schema, json]

    assert (await run(harness, f, {"_hidden": 1, "model_dump": "m"})).value == [1, "m", "s", True]


@pytest.mark.anyio
async def test_positional_only_methods_partials_and_callables_become_tools(
    harness: Harness,
) -> None:
    class Service:
        def get(self, key: str, /, size: int = 1) -> str:
            """Get it."""
            return key * size

        async def __call__(self, key: str) -> str:
            return key

    def add(a: int, b: int) -> int:
        return a + b

    for made, arguments, value in (
        (tool(Service().get), {"key": "k", "size": 2}, "kk"),
        (tool(name="callable")(Service()), {"key": "k"}, "k"),
        (tool(name="partial")(functools.partial(add, b=2)), {"a": 1}, 3),
    ):
        assert (await run(harness, made, arguments)).value == value, made.name


@pytest.mark.spec("PIPELINE 1.4")
def test_signatures_that_no_model_can_call_are_refused() -> None:
    def starred(*values: int) -> None: ...

    def opaque(value: object, callback: functools.partial[int]) -> None: ...

    def generator() -> Any:
        yield 1

    def unresolved(value: object) -> None: ...

    unresolved.__annotations__["value"] = "Missing"
    for function in (starred, opaque, generator, unresolved):
        with pytest.raises(DefinitionError) as caught:
            tool(function)
        assert caught.value.tool_name == function.__name__


@pytest.mark.spec("PIPELINE 1.1")
def test_options_are_the_tools_attributes() -> None:
    @tool(
        name="search",
        description="Find.",
        effects={"read"},
        timeout_s=5,
        aliases=["find"],
        group="github",
        pin="code",
        advertised=False,
        idempotent=True,
        coerce=True,
        render=lambda arguments, value: "rendered",
    )
    def f() -> int:
        """Not this."""
        return 1

    assert (f.name, f.description, f.timeout_s) == ("search", "Find.", 5)
    assert f.is_concurrency_safe is True
    assert f.aliases == ("find",)
    assert (f.group, f.pin, f.advertised, f.is_idempotent, f.coerces) == (
        "github",
        "code",
        False,
        True,
        True,
    )
    assert f.output is not None
    assert f.output.render({}, 1) == "rendered"
    assert tool(effects={"read"}, concurrency_safe=False)(f.function).is_concurrency_safe is False  # type: ignore[arg-type]


def test_a_tool_can_be_called_like_its_function_in_a_test() -> None:
    @tool
    def add(a: int, b: int = 1) -> int:
        return a + b

    assert add(1) == 2
    with pytest.raises(TypeError):
        Tool.raw("raw", "", {}, lambda a, r: None)()


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.11", "CODE_MODE 2.3")
async def test_without_a_return_type_any_json_is_declared(harness: Harness) -> None:
    @tool
    async def text():  # type: ignore[no-untyped-def]  # that is the case
        return "raw text"

    assert text.output is not None
    assert text.output.schema == {}
    assert (await run(harness, text, {})).text == "raw text"


@pytest.mark.anyio
async def test_an_output_of_the_authors_own_is_kept(harness: Harness) -> None:
    output = Output(schema={"type": "integer"}, render=lambda arguments, value: f"#{value}")

    @tool(output=output)
    async def f() -> Any:
        return 3

    assert (await run(harness, f, {})).text == "#3"
