"""Code Mode: a sandboxed execution engine for model-written Python.

The public names are loaded on first use, so that `import codemode` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codemode.runtime.facade import ToolRuntime
    from codemode.runtime.function_tool import tool
    from codemode.sandbox import CodeModeError, Limits, Outcome, Sandbox, ToolCallError

__version__ = "0.1.0"

__all__ = [
    "CodeModeError",
    "Limits",
    "Outcome",
    "Sandbox",
    "ToolCallError",
    "ToolRuntime",
    "__version__",
    "tool",
]

_RUNTIME = frozenset({"ToolRuntime", "tool"})


if not TYPE_CHECKING:  # a checker that sees it takes every name, also a misspelt one, for any type

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        part = "codemode.runtime" if name in _RUNTIME else "codemode.sandbox"
        value: object = getattr(import_module(part), name)
        globals()[name] = value
        return value
