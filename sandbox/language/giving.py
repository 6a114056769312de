"""What a read gives, before the program gets it: no module, and no method without its check.

A method may rely on its `self` only where it is called bound: see `methods`. Read from a class,
it is given with a check of `self` in front.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from codemode.sandbox.language.ownership import (
    UNCHECKED,
    exact_type,
    is_own_class,
    is_own_function,
)
from codemode.sandbox.language.refusals import denied, refuse_name


def safe(found: Any, name: str) -> Any:
    """What was `found` under `name`, as a program may have it."""
    found = no_module(found, name)
    return unbound(found) if type(found) is FunctionType else found


def no_module(found: Any, name: str) -> Any:
    """Give back what was `found` under `name`, if it is no module."""
    if isinstance(found, ModuleType):
        raise refuse_name(name)
    return found


def unbound(function: Any) -> Any:
    """`function`, with a check in front if it trusts its first parameter; see `methods`."""
    code = function.__code__
    if (code.co_name, code.co_firstlineno) not in UNCHECKED or not is_own_function(function):
        return function

    @functools.wraps(function)
    def checked(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return function(own_instance(self), *args, **kwargs)

    return checked


def for_own(function: Any) -> Callable[..., Any]:
    """A private method of the library's: of what is not the program's it would give the inside."""

    @functools.wraps(function)
    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return function(own_instance(self), *args, **kwargs)

    return method


def own_instance(value: Any) -> Any:
    """Give back `value` if it is an instance of a class of the program's.

    A class of the program's would not do: what that has from the library, it has unbound.
    """
    if not is_own_class(exact_type(value)):
        raise denied(
            f"a method called with {type(value).__name__!r} as its self",
            "the method belongs to a class of the program",
        )
    return value
