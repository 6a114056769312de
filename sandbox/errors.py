"""Errors of the sandbox's own machinery, and the root of every error that codemode raises.

What a program does wrong is never raised here: it is reported as `Outcome.failure`.
"""

from __future__ import annotations


class CodeModeError(Exception):
    """Base of every error that codemode raises on purpose."""


class SandboxUnavailableError(CodeModeError):
    """The isolation that was asked for cannot be had. Nothing ran; a retry does not help.

    Attributes:
        missing: The layers that the machine does not give, in the kernel's words.
    """

    def __init__(self, message: str, *, missing: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.missing = missing


class JailError(CodeModeError):
    """A step of confinement failed (errno in `__cause__`). The guest did not start."""


class GuestLostError(CodeModeError):
    """The fork server or a guest died before it could say why. Tool calls may have happened."""


class ToolCallError(CodeModeError):
    """A bound function failed; programs catch the class of the same name in the guest.

    A binding raises it to tell the program what went wrong: `message` and `code` travel, nothing
    else does. Any other exception reaches the program as the code `TOOL_ERROR` without its text.

    Attributes:
        tool_name: The name under which the program called it.
        message: For the program's author: what to change.
        code: One of a small stable set, such as `DENIED` or `INVALID_ARGS`.
    """

    def __init__(self, tool_name: str, message: str, code: str = "TOOL_ERROR") -> None:
        super().__init__(message)
        self.tool_name = tool_name
        self.message = message
        self.code = code


class StopRunError(CodeModeError):
    """Raised by a binding to end the whole program with the failure kind `stopped`.

    Attributes:
        reason: Shown to the model.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
