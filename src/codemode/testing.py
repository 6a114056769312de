"""For authors of tools: `check_tool`, the contract test. See docs/tools.md."""

from codemode.runtime.checking import check_tool

__all__ = ["check_tool"]
