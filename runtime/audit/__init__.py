"""Reading a session log: verify it, see it as a tree."""

from codemode.runtime.audit.building import build_tree
from codemode.runtime.audit.invariants import Fault, InvariantChecker
from codemode.runtime.audit.report import render_html
from codemode.runtime.audit.show import render_report, render_tree, wants_colour
from codemode.runtime.audit.tree import Filter, SessionTree
from codemode.runtime.audit.verify import Report, verify

__all__ = [
    "Fault",
    "Filter",
    "InvariantChecker",
    "Report",
    "SessionTree",
    "build_tree",
    "render_html",
    "render_report",
    "render_tree",
    "verify",
    "wants_colour",
]
