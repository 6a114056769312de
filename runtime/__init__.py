"""The transaction boundary: definitions, scopes, the pipeline, `run_code`, the log, the hosts."""

from codemode.runtime.facade import ToolRuntime
from codemode.runtime.function_tool import tool

__all__ = ["ToolRuntime", "tool"]
