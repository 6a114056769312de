"""What programs are shown for a class whose calls are checked: one that makes classes, or methods.

The stand-ins themselves are made in `classes`. The real `type` must never be handed out.
"""

from __future__ import annotations

from types import MethodType
from typing import Any, Final

from codemode.sandbox.language.ownership import exact_type, is_class

#: What programs know each of them as; filled by `classes`.
STAND_INS: Final[dict[type, Any]] = {}


def safe_type(value: Any) -> Any:
    """The class of `value`; for a class, a stand-in that cannot make or change classes.

    For a `super()` it is the checked one, which passes over no foreign class.
    """
    return shown_class(exact_type(value))


def shown_class(value: Any) -> Any:
    """`value`, or its stand-in: a class that makes classes, and has none of its own, is `type`."""
    if not (is_class(value) and has_stand_in(value)):
        return value
    return STAND_INS.get(value, STAND_INS[type] if issubclass(value, type) else value)


def has_stand_in(kind: type) -> bool:
    """Whether programs know `kind` as something else: it must not be handed out by its like."""
    return issubclass(kind, _STOOD_FOR)


_STOOD_FOR: Final[tuple[type, ...]] = (type, super, MethodType, classmethod)
