"""Descriptors that read, write or copy attributes of whatever object they are given as instance."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from codemode.sandbox.language import hooks
from codemode.sandbox.language.ownership import exact_type, is_own
from codemode.sandbox.language.readonly import LiveView
from codemode.sandbox.language.stores import changeable


def cached(original: Any, self: Any, instance: Any, owner: Any = None) -> Any:
    """A cached property writes into its instance's dict: one that has it, or the program's own."""
    if instance is not None and not is_own(instance):
        homes = type(instance).__mro__
        if not any(vars(home).get(self.attrname) is self for home in homes):
            changeable(instance)
    return original(self, instance, owner)


def single_dispatch(original: Any, function: Any) -> Any:
    """What is registered is looked up by the kind of an argument: nobody else's key is among it."""
    made = original(function)
    made.registry = LiveView(made.registry)
    return made


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
