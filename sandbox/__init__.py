"""Runs untrusted programs with named functions of the host. It knows nothing of tools."""

from codemode.sandbox.backend import SandboxBackend
from codemode.sandbox.cgroup import Cgroup
from codemode.sandbox.control import RunControl
from codemode.sandbox.errors import (
    CodeModeError,
    GuestLostError,
    JailError,
    SandboxUnavailableError,
    StopRunError,
    ToolCallError,
)
from codemode.sandbox.facade import Sandbox
from codemode.sandbox.isolation import IsolationReport
from codemode.sandbox.limits import Limits
from codemode.sandbox.local import LocalSandbox
from codemode.sandbox.program import (
    Binding,
    Call,
    Failure,
    LogEntry,
    Outcome,
    Parameter,
    Program,
    Signature,
    Usage,
)

__all__ = [
    "Binding",
    "Call",
    "Cgroup",
    "CodeModeError",
    "Failure",
    "GuestLostError",
    "IsolationReport",
    "JailError",
    "Limits",
    "LocalSandbox",
    "LogEntry",
    "Outcome",
    "Parameter",
    "Program",
    "RunControl",
    "Sandbox",
    "SandboxBackend",
    "SandboxUnavailableError",
    "Signature",
    "StopRunError",
    "ToolCallError",
    "Usage",
]
