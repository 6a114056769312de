"""Spans, as the SDK's own in-memory exporter receives them."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pipeline_harness import Harness

from codemode.runtime.errors import ToolError
from codemode.runtime.execution import CallRequest, Execution, RunContext
from codemode.runtime.log.redaction import COMMON_SECRETS, Redactor
from codemode.runtime.policy import Deny
from codemode.runtime.wrappers import retry_wrapper
from codemode.runtime.wrappers.telemetry import Telemetry

pytestmark = [pytest.mark.anyio, pytest.mark.spec("AUDIT 2.5")]

SECRET = "ghp_" + "a" * 36


class Traced:
    """A harness whose calls are traced, and the spans that were exported."""

    def __init__(self, harness: Harness, **options: Any) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = provider.get_tracer("test")
        self.telemetry = Telemetry(tracer_provider=provider, **options)
        self.telemetry.mount(harness.registry.root)

    @property
    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self._exporter.get_finished_spans()}


async def echo(arguments: Any, run: RunContext) -> Any:
    return arguments["text"]


async def fail(arguments: Any, run: RunContext) -> Any:
    raise ToolError(f"no {SECRET}")


def parent_id(span: ReadableSpan) -> int | None:
    return None if span.parent is None else span.parent.span_id


def id_of(span: ReadableSpan) -> int:
    context = span.get_span_context()
    assert context is not None
    return context.span_id


async def test_a_call_is_a_span_with_the_names_of_the_conventions(harness: Harness) -> None:
    traced = Traced(harness)
    harness.add("echo", echo)
    async with harness.open():
        await harness.call("echo", {"text": SECRET}, call_id="call-7")
    (span,) = traced.spans.values()
    assert span.name == "execute_tool echo"
    assert span.kind is trace.SpanKind.INTERNAL
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "echo",
        "gen_ai.tool.call.id": "call-7",
        "gen_ai.tool.type": "function",
    }
    assert span.status.status_code is trace.StatusCode.UNSET


async def test_nested_calls_and_what_bodies_do_are_below_their_caller(harness: Harness) -> None:
    traced = Traced(harness)

    async def inner(arguments: Any, run: RunContext) -> None:
        with traced.tracer.start_as_current_span("work"):
            pass

    async def outer(arguments: Any, run: RunContext) -> None:
        await harness.pipeline.execute(
            CallRequest(
                call_id="inner", name="inner", arguments={}, parent=run.token, root_call_id="outer"
            )
        )

    harness.add("inner", inner)
    harness.add("outer", outer)
    async with harness.open():
        with traced.tracer.start_as_current_span("agent"):
            await harness.call("outer")
    spans = traced.spans
    assert parent_id(spans["execute_tool outer"]) == id_of(spans["agent"])
    assert parent_id(spans["execute_tool inner"]) == id_of(spans["execute_tool outer"])
    assert parent_id(spans["work"]) == id_of(spans["execute_tool inner"])


async def test_a_failure_has_its_code_and_not_its_message(harness: Harness) -> None:
    traced = Traced(harness)
    harness.add("fail", fail)
    async with harness.open():
        await harness.call("fail")
    (span,) = traced.spans.values()
    assert (span.attributes or {})["error.type"] == "TOOL_ERROR"
    assert span.status.status_code is trace.StatusCode.ERROR
    assert SECRET not in span.to_json()


async def test_a_denied_call_has_a_span_too(harness: Harness) -> None:
    traced = Traced(harness)
    harness.add("echo", echo)

    def deny(execution: Execution) -> Deny:
        return Deny("not today")

    harness.registry.root.add("pre", deny)
    async with harness.open():
        await harness.call("echo", {"text": "x"})
    (span,) = traced.spans.values()
    assert (span.attributes or {})["error.type"] == "DENIED"
    assert "not today" not in span.to_json()


async def test_an_mcp_tool_is_a_client_span_of_its_method(harness: Harness) -> None:
    traced = Traced(harness)
    harness.add("echo", echo, protocol="mcp")
    harness.add("fail", fail, protocol="mcp")
    async with harness.open():
        await harness.call("echo", {"text": "x"})
        await harness.call("fail")
    span = traced.spans["tools/call echo"]
    assert span.kind is trace.SpanKind.CLIENT
    assert (span.attributes or {})["mcp.method.name"] == "tools/call"
    assert (span.attributes or {})["gen_ai.operation.name"] == "execute_tool"
    assert (traced.spans["tools/call fail"].attributes or {})["error.type"] == "tool_error"


async def test_a_retried_call_is_one_span(harness: Harness) -> None:
    traced = Traced(harness)
    attempts: list[int] = []

    async def flaky(arguments: Any, run: RunContext) -> int:
        attempts.append(1)
        if len(attempts) < 3:
            raise ToolError("not yet")
        return len(attempts)

    harness.add("flaky", flaky, is_idempotent=True)
    harness.registry.root.add("wrapper", traced.telemetry.wrap)
    harness.registry.root.add("wrapper", retry_wrapper(harness.clock, first_wait_s=0.0))
    async with harness.open():
        result = await harness.call("flaky")
    assert result.value == 3
    (span,) = traced.spans.values()
    assert "error.type" not in (span.attributes or {})


async def test_content_is_told_when_asked_for_and_redacted(harness: Harness) -> None:
    traced = Traced(harness, with_content=True, redact=Redactor(COMMON_SECRETS))
    harness.add("echo", echo)
    harness.add("fail", fail)
    async with harness.open():
        await harness.call("echo", {"text": f"is {SECRET}", "n": 1})
        await harness.call("fail")
    attributes = traced.spans["execute_tool echo"].attributes or {}
    assert attributes["gen_ai.tool.call.arguments"] == '{"text":"is [redacted]","n":1}'
    assert attributes["gen_ai.tool.call.result"] == "is [redacted]"
    failed = traced.spans["execute_tool fail"]
    assert failed.status.description == "Error: no [redacted]"
    assert all(SECRET not in span.to_json() for span in traced.spans.values())
