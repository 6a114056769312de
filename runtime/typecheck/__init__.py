"""Checks a program against its SDK before it runs, with a type checker in a process of its own.

See docs/typecheck.md. The checker itself is in `checker.py`; it needs the extra `typecheck`.
"""

from __future__ import annotations

from codemode.runtime.typecheck.checker import Checker, TypeCheckUnavailableError
from codemode.runtime.typecheck.findings import Checked, Finding, Rule, TypeCheck
from codemode.runtime.typecheck.gate import Gate

__all__ = [
    "Checked",
    "Checker",
    "Finding",
    "Gate",
    "Rule",
    "TypeCheck",
    "TypeCheckUnavailableError",
]
