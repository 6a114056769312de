"""Spans of a program and its calls, through the whole runtime."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from codemode import ToolRuntime, tool
from codemode.runtime.wrappers.telemetry import Telemetry

pytestmark = [pytest.mark.anyio, pytest.mark.spec("AUDIT 2.5")]


@tool(effects={"read"})
async def double(x: int) -> int:
    """Double a number."""
    return x * 2


async def test_the_calls_of_a_program_are_below_its_span() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    telemetry = Telemetry(tracer_provider=provider)
    async with ToolRuntime(
        [double], mode="code", wrappers=[telemetry.wrap], observers=[telemetry.observe]
    ) as runtime:
        result = await runtime.run_code(
            "import asyncio\n"
            "await asyncio.gather(*(tools.double(x=x) for x in range(3)))\n"
            "await tools.double(x='no number')"
        )
    assert result.is_error
    *nested, outer = exporter.get_finished_spans()
    assert outer.name == "execute_tool run_code"
    assert (outer.attributes or {})["error.type"] == "CODE_RUN_FAILED"
    assert (outer.attributes or {})["gen_ai.tool.call.id"] == result.call_id
    context = outer.get_span_context()
    assert context is not None
    assert [span.parent and span.parent.span_id for span in nested] == [context.span_id] * 4
    codes = [(span.attributes or {}).get("error.type") for span in nested]
    assert sorted(map(str, codes)) == ["INVALID_ARGS", "None", "None", "None"]
