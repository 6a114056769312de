"""OpenTelemetry spans: one for each call, nested calls below the program that made them.

The wrapper opens the span around the body, so that what the body does itself (an HTTP request, a
model) is traced below it; the observer closes it with what the call came to, and gives a call whose
body never ran a span too. Names, identities and error codes are all that is told: never an
argument, a value or a message, unless the host asks for content. Needs the extra `telemetry`.

Source: the OpenTelemetry semantic conventions for generative AI ("Execute tool span") and for MCP
("Client").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast
from weakref import WeakKeyDictionary

from codemode import __version__
from codemode.runtime.errors import MisuseError
from codemode.runtime.jsontext import compact
from codemode.sandbox.values import FrozenDict, Json, snapshot

try:
    from opentelemetry import context as otel_context
    from opentelemetry import trace
except ImportError as error:  # pragma: no cover - the extra is there in tests
    raise MisuseError("telemetry needs the extra: pip install 'codemode[telemetry]'") from error

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, TracerProvider

    from codemode.runtime.execution import Execution, Token
    from codemode.runtime.log.redaction import Redactor
    from codemode.runtime.policy import Around, BodyOutcome, CallNext
    from codemode.runtime.result import Result
    from codemode.runtime.scope import Scope

#: What the MCP convention calls a failure that the tool itself reports.
_MCP_TOOL_ERROR: Final = "tool_error"


class Telemetry:
    """A wrapper and an observer that belong together; `mount` adds both to a scope.

    Args:
        tracer_provider: Where spans go; None is the process's global provider.
        with_content: Also tell arguments, values and messages of failures.
        redact: Sees that content first, as `telemetry/arguments` and `telemetry/result`.
    """

    name = "telemetry"

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        with_content: bool = False,
        redact: Redactor | None = None,
    ) -> None:
        self._tracer: Final = trace.get_tracer("codemode", __version__, tracer_provider)
        self._with_content: Final = with_content
        self._redact: Final = redact
        #: Open spans, by the identity of their call.
        self._spans: Final[WeakKeyDictionary[Token, Span]] = WeakKeyDictionary()

    def mount(self, scope: Scope) -> None:
        """Trace every call of a scope; before other wrappers, so that their work is inside."""
        scope.add("wrapper", self.wrap)
        scope.add("observer", self.observe)

    async def wrap(self, around: Around, call_next: CallNext) -> BodyOutcome:
        """Run the body below the call's span; a retry is part of the same span."""
        execution = around.execution
        span = self._spans.get(execution.token)
        if span is None:
            span = self._spans[execution.token] = self._start(execution)
        attached = otel_context.attach(trace.set_span_in_context(span))
        try:
            return await call_next()
        finally:
            otel_context.detach(attached)

    def observe(self, execution: Execution, result: Result) -> None:
        """Close the call's span with its result."""
        span = self._spans.pop(execution.token, None) or self._start(execution)
        if result.error_info is not None:
            span.set_attribute("error.type", _error_type(execution, result))
            message = result.text if self._with_content else None
            span.set_status(
                trace.StatusCode.ERROR,
                None if message is None else str(self._told("message", message)),
            )
        elif self._with_content:
            span.set_attribute("gen_ai.tool.call.result", _text(self._told("result", result.value)))
        span.end()

    def _start(self, execution: Execution) -> Span:
        is_mcp = _is_mcp(execution)
        attributes: dict[str, str] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": execution.name,
            "gen_ai.tool.call.id": execution.call_id,
            "gen_ai.tool.type": "function",
        }
        if is_mcp:
            attributes["mcp.method.name"] = "tools/call"
        if self._with_content:
            arguments = cast("Json", dict(execution.arguments))
            attributes["gen_ai.tool.call.arguments"] = _text(self._told("arguments", arguments))
        return self._tracer.start_span(
            f"{'tools/call' if is_mcp else 'execute_tool'} {execution.name}",
            context=self._parent(execution),
            kind=trace.SpanKind.CLIENT if is_mcp else trace.SpanKind.INTERNAL,
            attributes=attributes,
        )

    def _parent(self, execution: Execution) -> Context | None:
        """The span of the program that made the call; None is whatever is current."""
        parent = None if execution.parent is None else self._spans.get(execution.parent)
        return None if parent is None else trace.set_span_in_context(parent)

    def _told(self, what: str, value: Json) -> Json:
        if self._redact is None:
            return value
        fields = cast("FrozenDict", snapshot({what: value}))
        told: Mapping[str, Json] = self._redact.apply(f"telemetry/{what}", fields)
        return told[what]


def _is_mcp(execution: Execution) -> bool:
    return execution.tool is not None and execution.tool.protocol == "mcp"


def _error_type(execution: Execution, result: Result) -> str:
    code = result.code or "_OTHER"
    return _MCP_TOOL_ERROR if code == "TOOL_ERROR" and _is_mcp(execution) else code


def _text(value: Json) -> str:
    return value if isinstance(value, str) else compact(value)
