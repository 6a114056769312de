"""Errors of the runtime: what a tool may raise, and what misuse of the API raises.

A failure of a call is never raised by the pipeline: it is a `Result` (see result.py). What is
raised here is either a tool author's deliberate failure or a mistake in the host's own code.
"""

from __future__ import annotations

from codemode.sandbox.errors import CodeModeError


class ToolError(CodeModeError):
    """Raised by a tool's body to fail on purpose; the model reads `Error: ` and the message.

    Attributes:
        message: For the model: what went wrong and what to change.
        code: The error code of the result; programs see it only if it is one of the stable set.
        kind: A finer class within the code, such as `syntax` of `CODE_RUN_FAILED`.
    """

    def __init__(self, message: str, code: str = "TOOL_ERROR", *, kind: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.kind = kind


class IntentDeniedError(ToolError):
    """A subscriber denied what the tool was about to do. The side effect did not happen."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, "DENIED")


class MisuseError(CodeModeError):
    """The host called the API wrongly. Nothing ran; a retry does not help."""


class DefinitionError(MisuseError):
    """A tool cannot be registered. Nothing was registered.

    Attributes:
        tool_name: The tool that was refused.
        faults: Every fault found, in a stable order; at least one.
    """

    def __init__(self, tool_name: str, faults: tuple[str, ...]) -> None:
        super().__init__(f"tool {tool_name!r} cannot be registered: " + "; ".join(faults))
        self.tool_name = tool_name
        self.faults = faults


class ScopeError(MisuseError):
    """A scope was asked for something that its rules refuse. Nothing changed."""


class TokenError(MisuseError):
    """A parent token is not one that this pipeline issued, or its call has settled."""
