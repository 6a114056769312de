"""`getattr` and its kin within the policy.

Each takes the verdict on the name from `attributes`, and what the object says from `loads` and
`stores`. They raise `DeniedError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Final

from codemode.sandbox.language.attributes import NAMES, Verdict
from codemode.sandbox.language.giving import unbound
from codemode.sandbox.language.loads import load
from codemode.sandbox.language.ownership import exact_type, is_class, is_own_class
from codemode.sandbox.language.refusals import IN_PLACE, denied, refuse_name
from codemode.sandbox.language.spelling import exact
from codemode.sandbox.language.stores import check_store

_MISSING: Final = object()


def guarded_getattr(
    value: Any = _MISSING,
    name: object = _MISSING,
    default: Any = _MISSING,
    /,
    *more: Any,
    **named: Any,
) -> Any:
    """`getattr` within the policy."""
    if name is _MISSING or more or named:
        given = [item for item in (value, name, default) if item is not _MISSING]
        native: Callable[..., Any] = getattr
        return native(*given, *more, **named)  # for its own message
    name = exact(name)
    verdict = NAMES.load(name)
    if verdict is Verdict.REFUSED:
        raise refuse_name(name)
    if verdict is Verdict.HOOK:
        if default is _MISSING:
            return load(value, name)
        try:
            return load(value, name)
        except AttributeError:
            return default
    found = getattr(value, name) if default is _MISSING else getattr(value, name, default)
    return unbound(found) if type(found) is FunctionType else found


def changed_in_place(value: Any, name: str) -> Any:
    """Give back `value` if the interpreter may read `name` of it unchecked, in `value.name += x`.

    Of an instance of the program's own it may, of a class only what a class of the program's holds:
    what that has from the library, it has unbound.
    """
    kind = exact_type(value)
    if is_own_class(kind):
        return value
    if not is_class(value) and kind is not super:
        load(value, name)
    elif kind is super or not _is_held(value, name):
        raise denied(f"changing attribute {name} in place", *IN_PLACE)
    return value


def _is_held(kind: type, name: str) -> bool:
    """Whether reading `name` of a class gives what one of the program's holds, and runs nothing.

    Also when nothing has it.
    """
    for base in type.__getattribute__(kind, "__mro__"):
        held: Mapping[str, object] = type.__getattribute__(base, "__dict__")
        if name in held:
            lineage = exact_type(held[name]).__mro__
            return is_own_class(base) and not any("__get__" in vars(one) for one in lineage)
    return not any(name in vars(base) for base in exact_type(kind).__mro__)


def guarded_hasattr(value: Any, name: object, /) -> bool:
    """`hasattr` within the policy; what is refused is not there."""
    try:
        guarded_getattr(value, name)
    except AttributeError:
        return False
    return True


def guarded_setattr(value: Any, name: object, new: Any, /) -> None:
    """`setattr` within the policy."""
    name = exact(name)
    check_store(value, name)
    setattr(value, name, new)


def guarded_delattr(value: Any, name: object, /) -> None:
    """`delattr` within the policy."""
    name = exact(name)
    check_store(value, name)
    delattr(value, name)
