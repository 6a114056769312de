"""The one tree that this process has, as a process has one kernel.

A guest runs one program, so the functions that stand in for the interpreter's need no handle.
"""

from __future__ import annotations

from codemode.sandbox.guest.scratch.descriptors import Descriptors
from codemode.sandbox.guest.scratch.nodes import Budget
from codemode.sandbox.guest.scratch.tree import Tree

_mounted = Descriptors(Tree(Budget(max_bytes=0, max_files=0)))


def mount(files: Descriptors) -> Descriptors:
    """Make `files` the process's; returns what was there before."""
    global _mounted
    before, _mounted = _mounted, files
    return before


def files() -> Descriptors:
    """The process's open files, and with them its tree."""
    return _mounted


def tree() -> Tree:
    """The process's tree; empty, and closed to everything, until one is mounted."""
    return _mounted.tree
