"""Calling a function with a call's arguments: what its result becomes, and what goes wrong."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pipeline_harness import Harness
from pydantic import BaseModel

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
