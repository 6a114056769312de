"""The functions of `ast` that read or set attributes of whatever they are given, for nodes alone.

The library's own take any object as a node: a function with `_fields` shows its globals, a class of
the library is written to. Nodes of the program's own classes answer within the policy.
Source: the documentation of `ast`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Final

from codemode.sandbox.language import hooks
from codemode.sandbox.language.ownership import exact_type, is_own
from codemode.sandbox.language.refusals import denied


def iter_fields(node: Any) -> Iterator[tuple[str, Any]]:
    """As `ast.iter_fields`."""
    if not is_own(_node(node)):
        yield from ast.iter_fields(node)
        return
    for field in node._fields:
        if hooks.guarded_hasattr(node, field):
            yield field, hooks.guarded_getattr(node, field)


def copy_location(new_node: Any, old_node: Any) -> Any:
    """As `ast.copy_location`."""
    return ast.copy_location(_node(new_node), _node(old_node))


def fix_missing_locations(node: Any) -> Any:
    """As `ast.fix_missing_locations`."""
    return ast.fix_missing_locations(_node(node))


def increment_lineno(node: Any, n: int = 1) -> Any:
    """As `ast.increment_lineno`."""
    return ast.increment_lineno(_node(node), n)


def _node(value: Any) -> Any:
    kind = exact_type(value)
    if not issubclass(kind, ast.AST):
        raise denied(f"{kind.__name__!r} as a syntax tree", "it is no node of one")
    return value


#: What programs know by these names in `ast`.
TREES: Final[Mapping[str, Any]] = {
    "iter_fields": iter_fields,
    "copy_location": copy_location,
    "fix_missing_locations": fix_missing_locations,
    "increment_lineno": increment_lineno,
}
