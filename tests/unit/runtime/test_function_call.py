"""Calling a function with a call's arguments: what its result becomes, and what goes wrong."""

from __future__ import annotations

import enum
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import pytest
from pipeline_harness import Harness
from pydantic import BaseModel, ConfigDict

from codemode.runtime.errors import DefinitionError
from codemode.runtime.function_tool import tool


class Issue(BaseModel):
    title: str


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 6.7")
async def test_a_result_that_cannot_be_made_json_is_the_outputs_fault(harness: Harness) -> None:
    @tool
    def blob() -> bytes:
        return b"\xff"

    @tool
    async def price() -> dict[str, Decimal]:
        return {"a": object()}  # type: ignore[dict-item]

    harness.registry.register(blob)
    harness.registry.register(price)
    async with harness.open():
        binary = await harness.call("blob", {})
        unknown = await harness.call("price", {})
    for result in (binary, unknown):
        assert result.code == "INVALID_TOOL_OUTPUT", result
        assert result.error_info is not None
        assert result.error_info.layer == "output"
        assert result.error_info.body_started
    assert "return base64 text for bytes" in binary.text


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 3.1")
async def test_a_model_that_no_annotation_promised_is_refused_with_what_to_send(
    harness: Harness,
) -> None:
    @tool
    def issue() -> Any:
        return Issue(title="x")

    harness.registry.register(issue)
    async with harness.open():
        result = await harness.call("issue", {})
    assert result.code == "INVALID_TOOL_OUTPUT"
    assert 'send .model_dump(mode="json") of it' in result.text


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    when: date
    color: Color
    pair: tuple[int, str]


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.1")
async def test_a_strict_model_takes_the_json_that_its_schema_describes(harness: Harness) -> None:
    @tool
    def take(strict: Strict) -> str:
        return repr(strict.pair) + strict.when.isoformat() + strict.color.name

    harness.registry.register(take)
    sent = {"when": "2020-01-01", "color": "red", "pair": [1, "a"]}
    async with harness.open():
        taken = await harness.call("take", {"strict": sent})
        refused = await harness.call("take", {"strict": {**sent, "when": "soon"}})
    assert taken.value == "(1, 'a')2020-01-01RED"
    assert refused.code == "INVALID_ARGS"
    assert "/when" in refused.text
    assert "/pair" not in refused.text, "only what is wrong is named"


@pytest.mark.spec("PIPELINE 1.4", "PIPELINE 2.1")
@pytest.mark.parametrize("annotation", [Literal[Color.RED], list[Literal["none", Color.RED]]])
def test_a_literal_member_of_an_enum_is_refused_with_what_to_write(annotation: Any) -> None:
    def take(color: Any) -> str:
        return str(color)

    take.__annotations__["color"] = annotation
    with pytest.raises(DefinitionError, match=r"write the Enum itself, or Literal\['red'\]"):
        tool(take)


class Rights(enum.Flag):
    READ = 1
    WRITE = 2
    ADMIN = 8


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.1")
async def test_flags_are_added_up_on_the_way_in_and_out(harness: Harness) -> None:
    @tool
    def swap(rights: Rights) -> Rights:
        return ~rights

    assert swap.parameters["$defs"]["Rights"] == {
        "type": "integer",
        "minimum": 0,
        "maximum": 11,
        "description": "The sum of: READ 1, WRITE 2, ADMIN 8",
    }
    harness.registry.register(swap)
    async with harness.open():
        assert (await harness.call("swap", {"rights": 3})).value == 8
        assert (await harness.call("swap", {"rights": 11})).value == 0
        assert (await harness.call("swap", {"rights": 0})).value == 11
        for unfit in (4, 12, -1, "1"):
            assert (await harness.call("swap", {"rights": unfit})).code == "INVALID_ARGS"


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 2.1")
async def test_a_literal_gives_the_member_that_json_takes_for_equal(harness: Harness) -> None:
    @tool
    def take(one: Literal["a", 1, True, None]) -> str:
        return repr(one)

    harness.registry.register(take)
    async with harness.open():
        for sent, taken in (("a", "'a'"), (1, "1"), (1.0, "1"), (True, "True"), (None, "None")):
            assert (await harness.call("take", {"one": sent})).value == taken
        assert (await harness.call("take", {"one": 2})).code == "INVALID_ARGS"
        assert (await harness.call("take", {"one": False})).code == "INVALID_ARGS"
