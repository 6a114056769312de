"""Descriptors that read, write or copy attributes of whatever object they are given as instance."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from codemode.sandbox.language import hooks
from codemode.sandbox.language.classes import bindable
from codemode.sandbox.language.ownership import (
    exact_type,
    is_class,
    is_foreign_function,
    is_own,
)
from codemode.sandbox.language.readonly import LiveView
from codemode.sandbox.language.refusals import denied
from codemode.sandbox.language.stand_ins import has_stand_in
from codemode.sandbox.language.stores import changeable, writable


def cached(original: Any, self: Any, instance: Any, owner: Any = None) -> Any:
    """A cached property writes into its instance's dict: one that has it, or the program's own."""
    if instance is not None and not is_own(instance):
        homes = type(instance).__mro__
        if not any(vars(home).get(self.attrname) is self for home in homes):
            changeable(instance)
    return original(self, instance, owner)


def single_dispatch(original: Any, function: Any) -> Any:
    """What is registered is looked up by the kind of an argument: nobody else's key is among it.

    The kind of a class is looked up apart: the library does it while it handles an error that holds
    it, where a hook of the program's would see that.
    """
    made = original(function)
    registry, find = made.registry, vars(functools)["_find_impl"]

    def dispatch(kind: Any) -> Any:
        if not is_class(kind):
            raise TypeError(f"dispatch() takes a class, not {kind!r}")
        return find(kind, registry) if has_stand_in(kind) else made.dispatch(kind)

    @functools.wraps(function)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        if not args:
            return made(*args, **keywords)  # for its own message
        return dispatch(args[0].__class__)(*args, **keywords)

    shown: Any = wrapper
    shown.register, shown.dispatch, shown.registry = made.register, dispatch, LiveView(registry)
    shown._clear_cache = made._clear_cache
    return wrapper


def adapter_manager(self: Any, manager: Any) -> None:
    """`LoggerAdapter.manager = manager` sets an attribute of its logger, which may be anything."""
    writable(self.logger).manager = manager


def abstract(original: Any, self: Any, function: Any) -> None:
    """The class that makes an abstract method of another kind marks the function: one's own."""
    if is_foreign_function(function):
        raise denied("this abstract method", "the function belongs to the interpreter")
    original(self, bindable(function))


def partial_method(original: Any, self: Any, instance: Any, owner: Any = None) -> Any:
    """A partial method copies `__self__` from whatever a descriptor gives: it may be a module."""
    made = original(self, instance, owner)
    if exact_type(made) is functools.partial:
        made.__dict__.pop("__self__", None)
    return made


def enum_property(owner: type) -> Callable[..., Any]:
    """A property of an enum reads an attribute by the name that it was given last."""
    original: Any = vars(owner)["__get__"]

    def get(self: Any, instance: Any, ownerclass: Any = None) -> Any:
        if instance is None:
            return original(self, instance, ownerclass)
        if self.fget is not None:
            return self.fget(instance)
        kind = getattr(self, "_attr_type", None)  # since 3.12
        if kind is None:
            return original(self, instance, ownerclass)
        subject = self._cls_type if kind == "attr" else instance._value_
        return hooks.guarded_getattr(subject, self.name)

    return get
