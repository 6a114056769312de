"""The underscore names that the loaded modules use, read off their code.

An attribute `_x` of a program is ordinary unless some loaded module spells one the same way; then
it could reach into the library, and the object decides.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType


def underscore_names() -> frozenset[str]:
    """The names beginning with one underscore that any loaded module, class or function uses."""
    found: set[str] = set()
    for value in gc.get_objects():
        if isinstance(value, FunctionType):
            for code in _codes(value.__code__):
                found.update(code.co_names)
        elif isinstance(value, (type, ModuleType)):
            found.update(name for name in vars(value) if type(name) is str)
    return frozenset(name for name in found if name.startswith("_") and name[:2] != "__")


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def all_classes() -> list[type]:
    """Every class of this process."""
    return [value for value in gc.get_objects() if issubclass(type(value), type)]
