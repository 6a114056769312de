"""Literals that name attributes: `__match_args__` and `__slots__` of a class body, text to format.

Where such a name is written out it is judged as it stands; what is not written out is refused, or
looked at when it runs.
"""

from __future__ import annotations

import ast
from typing import Final

from codemode.sandbox.language import attributes, checks, formatting
from codemode.sandbox.language.attributes import EVERYDAY_SLOTS

_VETTED: Final = "_is_vetted_literal"


def vet_in_class(statement: ast.stmt) -> None:
    """`__match_args__` reads attributes by text: it must be a literal of open names."""
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    for target in targets:
        if not (isinstance(target, ast.Name) and target.id in attributes.CLASS_LITERALS):
            continue
        items = getattr(statement.value, "elts", [statement.value])
        texts = [item.value if isinstance(item, ast.Constant) else None for item in items]
        is_slots = target.id == "__slots__"
        slots = EVERYDAY_SLOTS if is_slots else ()
        is_fixed = not is_slots or isinstance(statement.value, (ast.Tuple, ast.Constant))
        is_open = all(
            type(text) is str and (text in slots or attributes.is_open(text)) for text in texts
        )
        if is_open and is_fixed:
            setattr(target, _VETTED, True)
        elif is_slots and statement.value is not None and (is_open or None in texts):
            # Not written out, or not for good: looked at, and copied, before the class is made.
            setattr(target, _VETTED, True)
            statement.value = checks.call("$slots", statement.value, statement.value)


def is_vetted(target: ast.Name) -> bool:
    """Whether what `target` of a class body is given was vetted, or is when it runs."""
    return hasattr(target, _VETTED)


def is_vetted_text(value: ast.expr) -> bool:
    """Whether `value` is a literal whose replacement fields name only open attributes."""
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return False
    return formatting.refused_name(value.value) is None
