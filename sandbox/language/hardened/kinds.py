"""Library code that calls the kind of what it is given: for a class, that is the real `type`."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, FunctionType, MappingProxyType, MethodType
from typing import Any, Final
from unittest import TestCase, TestSuite

from codemode.sandbox.language import attributes
from codemode.sandbox.language.ownership import exact_type, expect, is_class, is_own
from codemode.sandbox.language.refusals import denied
from codemode.sandbox.language.stand_ins import has_stand_in, safe_type

#: What code that makes an object of the kind of another one spells.
_MAKES_ITS_LIKE: Final = frozenset({"__class__", "type"})
#: Methods that only say the name of the kind, or get a class; and one that asks for the kind of an
#: error, and by its depth in the stack who called it.
_ONLY_NAMES_IT: Final = frozenset({"__repr__", "__str__", "__new__", "__subclasshook__", "_log"})


def makes_its_like(value: object, name: str) -> bool:
    """Whether `value`, under `name` in a class, may make another object of the kind of `self`."""
    return (
        type(value) is FunctionType
        and not _MAKES_ITS_LIKE.isdisjoint(_names_in(value.__code__))
        and attributes.decide(name, foreign_names=None) is not attributes.Verdict.REFUSED
        and name not in _ONLY_NAMES_IT
        and value.__code__ not in _GUARDED
    )


def _names_in(code: CodeType) -> Iterator[str]:
    """What `code`, and the functions in it, call things."""
    yield from code.co_names
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield from _names_in(constant)


def for_instances(function: Any) -> Callable[..., Any]:
    """`function`, a method, for no `self` that is a class."""

    @functools.wraps(function)
    def method(self: Any, /, *args: Any, **keywords: Any) -> Any:
        kind = exact_type(self)
        if has_stand_in(kind) or kind in weakref.ProxyTypes:  # or stands for one
            raise denied(f"{function.__qualname__} of a class", "it is a method of its instances")
        return function(self, *args, **keywords)

    return method


def for_its_own(function: Any, owner: type) -> Callable[..., Any]:
    """`function`, a method of a class that programs inherit nothing from, for its instances."""

    @functools.wraps(function)
    def method(self: Any, /, *args: Any, **keywords: Any) -> Any:
        expect(self, owner)
        return function(self, *args, **keywords)

    return method


def about_one(function: Any, kind: type) -> Callable[..., Any]:
    """`function`, a method that fills its first argument, for those of `kind`."""

    @functools.wraps(function)
    def method(self: Any, one: Any, /, *args: Any, **keywords: Any) -> Any:
        expect(one, kind)
        return function(self, one, *args, **keywords)

    return method


_GUARDED: Final = frozenset(
    {for_instances(makes_its_like).__code__, for_its_own(makes_its_like, object).__code__}
)


def common_type(original: Any, first: Any, second: Any) -> Any:
    """The type of a sum is handed out: numbers that are classes would make it `type` itself."""
    if has_stand_in(first) or has_stand_in(second):
        raise TypeError("classes and methods are no numbers")
    return original(first, second)


def members(kind: Any) -> Mapping[str, Any]:
    """The members of an enum by name: a proxy of its own would lead to what it holds."""
    held: dict[str, Any] = kind._member_map_
    return MappingProxyType({**held})


def descriptor_get(original: Any, descriptor: Any, value: Any) -> Any:
    """`inspect` binds what a class holds to its kind, which it may tell: it is told a stand-in."""
    get = getattr(exact_type(descriptor), "__get__", None)
    if not is_class(value) or get is None or is_class(descriptor):
        return original(descriptor, value)
    return get(descriptor, value, safe_type(value))


def weak_method(owner: type) -> Callable[..., Any]:
    """A weak method is a reference to what a method is bound to: to the program's own alone."""
    original: Any = owner.__new__

    def make(cls: Any, meth: Any, callback: Any = None) -> Any:
        if type(meth) is not MethodType:  # what only looks like one would be compared with them
            raise TypeError(f"argument should be a bound method, not {type(meth)}")
        if not is_own(meth.__self__):
            raise denied("a weak method of this", "it would give what the method is bound to")
        return original(cls, meth, callback)

    return make


def is_builtin(original: Any, value: Any) -> Any:
    """`inspect` compares what it is asked about with `type`: by a method of the program's."""
    is_compared = is_own(value) or exact_type(value) in weakref.ProxyTypes
    return not is_compared and original(value)


def enumerated_tests(suite: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """`enumerate` as suites of `unittest` have it: they remember the class of each test."""
    for index, test in enumerate(suite):
        yield index, check_test(test)


def check_test(value: Any) -> Any:
    """Give back a test case or a suite; the place of one that has run is None."""
    if value is not None and not isinstance(value, (TestCase, TestSuite)):
        raise TypeError(f"{value!r} is no test case and no suite")
    return value
