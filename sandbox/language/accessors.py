"""Special methods of the interpreter's that programs may have, each with its check in front.

Called by hand they would set any attribute, bind any function, or tell the state of any object.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any, Final

from codemode.sandbox.language import attributes
from codemode.sandbox.language.attributes import NAMES, Verdict
from codemode.sandbox.language.giving import own_instance, safe, unbound
from codemode.sandbox.language.ownership import expect, is_class, is_own, is_own_code
from codemode.sandbox.language.refusals import denied, refuse_name
from codemode.sandbox.language.spelling import exact
from codemode.sandbox.language.stores import changeable, check_store


def load_setstate(value: Any) -> Any:
    """`__setstate__`: the library's own would set any attribute."""
    found = value.__setstate__
    if is_own_code(found):
        return unbound(found) if type(found) is FunctionType else found
    raise refuse_name("__setstate__")


def load_get(value: Any) -> Any:
    """`__get__`: a property, whatever holds it, would call its getter with any object as `self`."""
    found = value.__get__
    if type(value) is FunctionType or is_own_code(found):
        return unbound(found) if type(found) is FunctionType else found
    # A `super()` of a class, an alias and a proxy give what is unbound too, and are no classes.
    is_unbound = type(found) in (*_UNBOUND, FunctionType)

    def bind(*arguments: Any) -> Any:
        given = arguments[1:] if is_unbound else arguments
        for one in given:
            if one is not None and not is_own(one):
                raise denied(
                    f"__get__ with {type(one).__name__!r}", "it would run with a foreign self"
                )
        if given and is_class(given[0]) and (len(given) == 1 or given[1] is None):
            # The interpreter would take the kind of the class for the owner.
            raise denied("__get__ with a class", "it would be bound to its metaclass")
        bound = found(*arguments)
        return unbound(bound) if type(bound) is FunctionType else bound

    return bind


def maker(name: str) -> Callable[[Any], Any]:
    """A method that makes objects of others: the program's own alone."""

    def read(value: Any) -> Any:
        found = getattr(value, name)
        if is_own_code(found):
            return found
        raise refuse_name(name)

    return read


def own_only(name: str, subject: int = 0, *, of_classes: bool = True) -> Callable[[Any], Any]:
    """A method of the interpreter's, for the program's own objects.

    Args:
        subject: Which argument of the bound method is the object that it is about, from 1; 0 is
            the one that it is bound to.
        of_classes: It may be about a class: what it tells of one is not the real `type`, nor what
            the class holds.
    """

    def read(value: Any) -> Any:
        # A `super()` is about what it is bound to.
        subject_of = getattr(value, "__self__", None) if isinstance(value, super) else value
        if not is_own(subject_of):
            raise refuse_name(name)
        found = getattr(value, name)
        is_unbound = type(found) in _UNBOUND
        if type(found) is FunctionType or not (is_unbound or subject):
            return safe(found, name)
        place = subject - 1 + is_unbound

        def about_own(*arguments: Any) -> Any:
            for one in arguments[place : place + 1]:
                if not (of_classes and is_own(one)):
                    own_instance(one)
            return found(*arguments)

        return about_own

    return read


_UNBOUND: Final = (MethodDescriptorType, WrapperDescriptorType)


def checked_accessor(name: str) -> Callable[[Any], Any]:
    """`object.__setattr__` and its kin, bound or not, with the check in front."""

    def read(value: Any) -> Any:
        method = getattr(value, name)
        if name == "__getattr__" and is_own_code(method):
            return unbound(method) if type(method) is FunctionType else method
        owner: Any = value
        if isinstance(value, super) and type(method) in (*_UNBOUND, FunctionType):
            owner = getattr(value, "__self_class__")  # noqa: B009  # not in the stubs
        if isinstance(owner, type):

            def unbound_method(target: Any, attribute: object, *rest: Any) -> Any:
                expect(target, owner)  # one that is written in Python would not ask
                text = _vetted(name, target, attribute)
                return safe(method(target, text, *rest), text)

            return unbound_method
        target: Any = getattr(value, "__self__", None) if isinstance(value, super) else value

        def bound_method(attribute: object, *rest: Any) -> Any:
            text = _vetted(name, target, attribute)
            return safe(method(text, *rest), text)

        return bound_method

    return read


def _vetted(accessor: str, target: Any, attribute: object) -> str:
    name = exact(attribute)
    if accessor not in ("__getattribute__", "__getattr__"):
        check_store(target, name)
        changeable(target)
    elif (
        NAMES.load(name) is not Verdict.PLAIN and not (name.startswith("_") and is_own(target))
    ) or (attributes.is_dunder(name) and NAMES.load(name) is not Verdict.PLAIN):
        raise refuse_name(name)
    return name
