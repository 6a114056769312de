"""Whether an attribute may be set or deleted: the check in front of a store.

The verdict on the name comes from `attributes`, whether the object is the program's to change from
`ownership`. Each check gives the object back, so that it can stand in front of the store.
"""

from __future__ import annotations

from typing import Any

from codemode.sandbox.language import attributes
from codemode.sandbox.language.attributes import Verdict
from codemode.sandbox.language.ownership import is_settable, is_writable, takes_none
from codemode.sandbox.language.refusals import denied
from codemode.sandbox.language.view import View


def check_store(value: Any, name: str) -> None:
    """Refuse a store to a name or an object that is not the program's to change."""
    if attributes.decide(name, store=True) is Verdict.REFUSED:
        raise denied(f"setting {name!r}", *attributes.explain(name))
    (writable_inside if name.startswith("_") else writable)(value)


def writable(value: Any) -> Any:
    """Give back `value` if its public attributes may be set; the hook in front of a store."""
    # A view refuses by itself, and what takes no attribute at all says so as in plain Python.
    if type(value) is not View and not is_settable(value) and not takes_none(value):
        raise _not_its_own(value)
    return value


def writable_inside(value: Any) -> Any:
    """Give back `value` if private attributes too may be set."""
    if type(value) is not View and not is_writable(value):
        raise _not_its_own(value)
    return value


def changeable(value: Any) -> Any:
    """Give back `value` if it may be written past its own `__setattr__`."""
    if type(value) is View:
        raise denied("setting attributes of a module", "modules are read-only")
    return writable_inside(value)


def _not_its_own(value: Any) -> Exception:
    kind = value.__name__ if isinstance(value, type) else type(value).__name__
    is_dict = issubclass(type(value), dict)
    return denied(
        f"setting attributes of {kind!r}",
        "it belongs to the interpreter, not to the program",
        'x["name"] = value' if is_dict else "a class of your own, or a dict",
    )
