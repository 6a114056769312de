"""Standard library functions that would do for a program what the policy refuses it.

Some build source text from names (`namedtuple`, the functional enum), some follow attributes named
in text (`string.Formatter`), some evaluate annotations. A view cannot stand in front of them: other
library code calls them with the program's values. So each is replaced in the process, once, by a
version with the same contract and a check. Called by the fork server before it serves.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import inspect
import logging
import statistics
import string
import sys
import traceback
import typing
import warnings
from collections.abc import Callable, Iterable, Mapping
from types import BuiltinMethodType, FunctionType, ModuleType
from typing import Any, Final, NoReturn, cast

from codemode.sandbox.language import attributes, formatting, hooks, loads
from codemode.sandbox.language.classes import check_bases
from codemode.sandbox.language.ownership import (
    MARK,
    OWN,
    PROGRAM_MODULE,
    exact_type,
    is_own,
    is_own_class,
    is_writable,
)
from codemode.sandbox.language.refusals import denied, refuse_name
from codemode.sandbox.language.spelling import exact
from codemode.sandbox.language.stores import changeable
from codemode.sandbox.marks import override

#: What was replaced: owner, name, and the original if there was one.
_replaced: list[tuple[Any, str, Any]] = []
_ABSENT: Final = object()


def harden() -> None:
    """Replace them; idempotent."""
    if _replaced:
        return
    _wrap(collections, "namedtuple", _namedtuple)
    _wrap(string.Formatter, "get_field", _get_field)
    _wrap(collections.UserString, "format", _user_string_format)
    _wrap(collections.UserString, "format_map", _user_string_format)
    _wrap(logging.StrFormatStyle, "__init__", _style_init)
    _wrap(logging.StrFormatStyle, "_format", _style_format)
    _guard_argparse()
    _wrap(functools.cached_property, "__get__", _cached)
    _harden_dataclasses()
    _wrap(functools.partialmethod, "__get__", _partial_method)
    _wrap(enum.EnumMeta, "_create_", _create_enum)
    _replace(enum.property, "__get__", _enum_property(enum.property))
    _wrap(logging, "setLogRecordFactory", _record_factory)
    _replace(collections.UserDict, "__copy__", _copy_wrapped)
    _replace(collections.UserList, "__copy__", _copy_wrapped)
    _replace(enum.EnumMeta, "_find_new_", classmethod(_members_alone(enum.EnumMeta)))
    redirecting = getattr(contextlib, "_RedirectStream")  # noqa: B009  # not in the stubs
    _wrap(redirecting, "__enter__", _redirect)
    _wrap(redirecting, "__exit__", _redirect)
    _wrap(warnings.catch_warnings, "__init__", _catch_warnings)
    _wrap(copy, "_reconstruct", _reconstruct)
    _wrap(statistics, "_coerce", _common_type)
    _wrap(inspect, "_signature_fromstr", _text_signature)
    _replace(
        traceback.StackSummary,
        "_extract_from_extended_frame_gen",
        classmethod(_extract_frames(traceback.StackSummary)),
    )
    _wrap(traceback.TracebackException, "__eq__", _same_trace)
    forward = typing.ForwardRef
    for evaluate in ("_evaluate", "evaluate"):
        if hasattr(forward, evaluate):
            _wrap(forward, evaluate, _evaluate)


def guard_methods(classes: Iterable[type]) -> None:
    """Refuse a class as the `self` of methods that make another object of the kind that `self` is.

    They would call the real `type`. Idempotent.
    """
    owner: Any
    for owner in {base for kind in classes for base in kind.__mro__}:
        if issubclass(owner, type):
            continue
        for name, value in list(_own_names(owner).items()):
            if (
                type(value) is FunctionType
                and not _MAKES_ITS_LIKE.isdisjoint(value.__code__.co_names)
                and attributes.decide(name, foreign_names=None) is not attributes.Verdict.REFUSED
                and name not in _ONLY_NAMES_IT
                and value.__code__ is not _guarded_code
            ):
                _replace(owner, name, _for_instances(value))


#: What code that makes an object of the kind of another one spells.
_MAKES_ITS_LIKE: Final = frozenset({"__class__", "type"})
#: Methods that only say the name of the kind, or get a class.
_ONLY_NAMES_IT: Final = frozenset({"__repr__", "__str__", "__new__", "__subclasshook__"})


def _for_instances(function: FunctionType) -> Callable[..., Any]:
    @functools.wraps(function)
    def method(self: Any, /, *args: Any, **keywords: Any) -> Any:
        if issubclass(type(self), type):
            raise denied(f"{function.__qualname__} of a class", "it is a method of its instances")
        return function(self, *args, **keywords)

    return method


_guarded_code: Final = _for_instances(harden).__code__  # type: ignore[arg-type]  # of any function


def soften() -> None:
    """Put the originals back: for a process that goes on, such as a test's. Never for a guest."""
    while _replaced:
        owner, name, original = _replaced.pop()
        if original is _ABSENT:
            delattr(owner, name)
        else:
            setattr(owner, name, original)


def _own_names(owner: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", vars(owner))


def _replace(owner: Any, name: str, value: Any) -> None:
    _replaced.append((owner, name, _own_names(owner).get(name, _ABSENT)))
    setattr(owner, name, value)


def _wrap(owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
    """Replace `owner.name` by `wrapper`, which gets the original first."""
    original = getattr(owner, name)

    def checked(*arguments: Any, **keywords: Any) -> Any:
        return wrapper(original, *arguments, **keywords)

    checked.__name__, checked.__qualname__ = name, getattr(original, "__qualname__", name)
    checked.__doc__, checked.__module__ = original.__doc__, original.__module__
    _replace(owner, name, checked)


def _caller_module(depth: int) -> str:
    """The name of the module that called, for classes that say where they were made."""
    frame = sys._getframe(depth)  # pyright: ignore[reportPrivateUsage]  # as the library does
    return str(frame.f_globals.get("__name__", PROGRAM_MODULE))


def _exact_names(names: Any) -> list[str]:
    if isinstance(names, str):
        return str.__str__(names).replace(",", " ").split()
    return [exact(str(name)) for name in names]


def _namedtuple(original: Any, typename: Any, field_names: Any, **keywords: Any) -> Any:
    if keywords.get("module") is None:
        keywords["module"] = _caller_module(3)
    return original(exact(str(typename)), _exact_names(field_names), **keywords)


def _get_field(_: Any, self: string.Formatter, field_name: str, args: Any, kwargs: Any) -> Any:
    first, rest = formatting.split_field(exact(field_name))
    value = self.get_value(first, args, kwargs)
    for is_attribute, part in rest:
        value = hooks.guarded_getattr(value, part) if is_attribute else value[part]
    return value, first


def _user_string_format(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    return original(collections.UserString(formatting.vet(exact(str(self)))), *args, **kwargs)


def _style_init(original: Any, self: Any, fmt: Any, *args: Any, **keywords: Any) -> None:
    # Later an error would be caught by the logging, which prints the record instead.
    original(self, formatting.vet(exact(fmt)) if fmt else fmt, *args, **keywords)


def _style_format(_: Any, self: Any, record: Any) -> Any:
    # Read once: an heir may answer otherwise the next time.
    pattern, defaults = formatting.vet(exact(self._fmt)), self._defaults
    return pattern.format(**({**defaults, **record.__dict__} if defaults else record.__dict__))


def _common_type(original: Any, first: Any, second: Any) -> Any:
    """The type of a sum is handed out: numbers that are classes would make it `type` itself."""
    if issubclass(first, type) or issubclass(second, type):
        raise TypeError("a class is no number")
    return original(first, second)


def _redirect(original: Any, self: Any, *args: Any) -> Any:
    """A redirection sets what its attribute names in `sys`: only that of its own class."""
    if type(self) not in _REDIRECTIONS or "_stream" in vars(self):
        raise denied("this redirection", "it would set something else than a stream")
    return original(self, *args)


_REDIRECTIONS: Final = (contextlib.redirect_stdout, contextlib.redirect_stderr)


def _catch_warnings(original: Any, self: Any, *args: Any, **keywords: Any) -> None:
    if type(self) is not warnings.catch_warnings:
        raise denied("catch_warnings for another object", "it would be given a module")
    original(self, *args, **keywords)


def _partial_method(original: Any, self: Any, instance: Any, owner: Any = None) -> Any:
    """A partial method copies `__self__` from whatever a descriptor gives: it may be a module."""
    made = original(self, instance, owner)
    if exact_type(made) is functools.partial:
        made.__dict__.pop("__self__", None)
    return made


def _enum_property(owner: Any) -> Callable[..., Any]:
    """A property of an enum reads an attribute by the name that it was given last."""
    original: Any = _own_names(owner)["__get__"]

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


def _record_factory(original: Any, factory: Any) -> None:
    """`logging` fills what a factory gives by names of the program's: only what is its own."""

    def make(*args: Any, **keywords: Any) -> Any:
        return changeable(factory(*args, **keywords))

    original(make)


def _copy_wrapped(self: Any) -> Any:
    """A copy of a `UserDict` or `UserList`: its `__new__` may give an object of another kind."""
    kind: Any = exact_type(self)
    made = changeable(kind.__new__(kind))
    made.__dict__.update(self.__dict__)
    made.__dict__["data"] = copy.copy(self.__dict__["data"])
    return made


def _members_alone(owner: Any) -> Callable[..., Any]:
    """The members of an enum are instances of it: the library calls `__init__` on them."""
    find: Any = _own_names(owner)["_find_new_"].__func__

    def find_new(kind: Any, *arguments: Any) -> tuple[Any, Any, Any]:
        make: Any
        make, saves, takes_arguments = find(kind, *arguments)
        if exact_type(make) is BuiltinMethodType:
            return make, saves, takes_arguments
        called: Callable[..., Any] = make.__func__ if exact_type(make) is staticmethod else make

        def make_member(cls: Any, *args: Any, **keywords: Any) -> Any:
            made: Any = called(cls, *args, **keywords)
            if not issubclass(exact_type(made), cls):
                raise TypeError(f"__new__ of {cls.__name__!r} gave no member of it")
            return made

        return make_member, saves, takes_arguments

    return find_new


def _guard_argparse() -> None:
    """Let `argparse` see the policy's own accessors: it takes names and objects from programs."""

    def load(value: Any, name: str, *default: Any) -> Any:
        read = getattr if type(value).__module__ == "argparse" else hooks.guarded_getattr
        return read(value, name, *default)

    def held(value: Any) -> Any:
        if type(value).__module__ == "argparse":
            return cast("Any", vars(value))
        return loads.load(value, "__dict__")

    _replace(argparse, "getattr", load)
    _replace(argparse, "vars", held)
    _replace(argparse, "setattr", hooks.guarded_setattr)
    _replace(argparse, "delattr", hooks.guarded_delattr)


def _cached(original: Any, self: Any, instance: Any, owner: Any = None) -> Any:
    """A cached property writes into its instance's dict: one that has it, or the program's own."""
    if instance is not None and not is_own(instance):
        homes = type(instance).__mro__
        if not any(vars(home).get(self.attrname) is self for home in homes):
            changeable(instance)
    return original(self, instance, owner)


def _harden_dataclasses() -> None:
    """Names of fields become source text, and generated methods read and write any `self`."""

    def set_field(self: Any, name: str, value: Any) -> None:
        if name == "name" and value is not None and not attributes.names_field(value):
            raise denied("this name of a field", "it is no public or private name")
        object.__setattr__(self, name, value)

    _replace(dataclasses.Field, "__setattr__", set_field)
    builder: Any = getattr(dataclasses, "_FuncBuilder", None)  # since 3.13
    if builder is None:
        _wrap(dataclasses, "_create_fn", _create_function)
    else:
        _wrap(builder, "add_fn", _add_function)


def _check_instance(value: Any) -> None:
    """Refuse a `self` that is no instance of the program's: not even a class or function of it.

    What is of its kind is compared with it, and that may be anybody's.
    """
    if not is_own_class(exact_type(value)):
        raise denied(
            f"a method called with {type(value).__name__!r} as its self",
            "the method belongs to a class of the program",
        )


#: Names that generated methods find their check under.
_CHECKS: Final[dict[str, Any]] = {
    "__dataclass_type__": type,
    "__dataclass_own__": OWN,
    "__dataclass_check__": _check_instance,
}


def _checked_body(arguments: Any, body: Any) -> list[str]:
    me, first = arguments[0], body[0]
    indent = first[: len(first) - len(first.lstrip())]
    test = f"{indent}if __dataclass_type__({me}) not in __dataclass_own__:"
    return [f"{test} __dataclass_check__({me})", *body]


def _create_function(original: Any, name: str, args: Any, body: Any, **keywords: Any) -> Any:
    if MARK in (keywords.get("globals") or ()):
        keywords["locals"] = {**(keywords.get("locals") or {}), **_CHECKS}
        body = _checked_body(args, body)
    return original(name, args, body, **keywords)


def _add_function(
    original: Any, self: Any, name: str, args: Any, body: Any, **keywords: Any
) -> Any:
    if MARK in self.globals:
        keywords["locals"] = {**(keywords.get("locals") or {}), **_CHECKS}
        body = _checked_body(args, body)
    return original(self, name, args, body, **keywords)


def _create_enum(original: Any, cls: Any, class_name: Any, names: Any, **keywords: Any) -> Any:
    if keywords.get("module") is None:
        keywords["module"] = _caller_module(4)
    if keywords.get("type") is not None:
        check_bases((keywords["type"],))
    return original(cls, exact(class_name), _enum_names(names), **keywords)


def _enum_names(names: Any) -> Any:
    if isinstance(names, str):
        checked: Any = _exact_names(names)
        plain = checked
    elif hasattr(names, "items"):
        checked = {exact(name): value for name, value in names.items()}
        plain = list(checked)
    else:
        checked = [
            exact(item) if isinstance(item, str) else (exact(item[0]), item[1]) for item in names
        ]
        plain = [item if type(item) is str else item[0] for item in checked]
    for name in plain:
        if attributes.is_dunder(name):
            raise denied(f"special name {name!r} in an enum", *attributes.explain(name))
    return checked


def _reconstruct(
    original: Any,
    value: Any,
    memo: Any,
    func: Any,
    args: Any,
    state: Any = None,
    *rest: Any,
    **keywords: Any,
) -> Any:
    """`copy` sets whatever state a `__reduce__` names: only on objects that are the program's."""
    if state is None:
        return original(value, memo, func, args, state, *rest, **keywords)
    pair: Any = state
    if isinstance(state, tuple) and len(pair) == 2 and isinstance(pair[1], dict):
        for name in map(exact, pair[1]):
            if attributes.decide(name, store=True) is attributes.Verdict.REFUSED:
                raise refuse_name(name)

    def make(*arguments: Any) -> Any:
        made = func(*arguments)
        is_alike = type(made) is type(value) and not is_own(value)
        return made if is_alike else changeable(made)

    if memo is None or is_writable(value):
        return original(value, memo, make, args, state, *rest, **keywords)
    # A memo remembers what was copied, attributes that are nobody's to see among it.
    apart: dict[int, Any] = {**memo}
    made = original(value, apart, make, args, state, *rest, **keywords)
    hidden = {id(apart), id(pair)}
    if isinstance(state, tuple):
        hidden.update(map(id, pair))
    memo.setdefault(id(memo), []).append(_Kept(apart.get(id(apart))))
    memo.update({key: one for key, one in apart.items() if key not in memo and key not in hidden})
    return made


class _Kept:
    """Keeps objects alive, so that their ids stay theirs, and shows them to nobody."""

    __slots__ = ("_kept",)

    def __init__(self, kept: Any) -> None:
        self._kept = kept

    @override
    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError("what a memo keeps alive cannot be copied")


def _extract_frames(owner: type) -> Callable[..., Any]:
    """Frames become text: with their locals it would be that of the library's and the guest's.

    Those of the sandbox itself are left out: they would tell where it is installed.
    """
    original = vars(owner)["_extract_from_extended_frame_gen"].__func__

    def extract(cls: Any, frames: Any, **options: Any) -> Any:
        if options.get("capture_locals"):
            raise denied("capture_locals=True", "it reads frames", "print() of what matters")
        others = (one for one in frames if not one[0].f_code.co_filename.startswith(_HOME))
        return original(cls, others, **options)

    return extract


def _same_trace(original: Any, self: Any, other: Any) -> Any:
    """It compares all that `self` holds, whatever it is, with what the program put into another."""
    if not issubclass(exact_type(self), traceback.TracebackException):
        return NotImplemented
    return original(self, other)


#: Where the sandbox's own code lies.
_HOME: Final = __file__.removesuffix("language/hardening.py")


def _text_signature(original: Any, cls: Any, obj: Any, *rest: Any, **keywords: Any) -> Any:
    """A docstring that begins like a signature has its defaults looked up in every module."""
    if is_own(obj):
        raise ValueError(f"no signature found for {obj!r}")
    return original(cls, obj, *rest, **keywords)


def _evaluate(
    _: Any, self: Any, globalns: Any = None, localns: Any = None, *args: Any, **keywords: Any
) -> Any:
    """Resolve a textual annotation without running it as code."""
    globals_: Any = keywords.get("globals", globalns) or {}
    locals_: Any = keywords.get("locals", localns) or {}
    return _resolve(ast.parse(self.__forward_arg__, mode="eval").body, (locals_, globals_))


def _resolve(node: ast.expr, scopes: Iterable[Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return (
                _resolve(ast.parse(value, mode="eval").body, scopes)
                if type(value) is str
                else value
            )
        case ast.Name(id=name):
            return _lookup(name, scopes)
        case ast.Attribute(value=value, attr=name):
            return hooks.guarded_getattr(_resolve(value, scopes), name)
        case ast.Subscript(value=value, slice=item):
            return _resolve(value, scopes)[_resolve(item, scopes)]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _resolve(left, scopes) | _resolve(right, scopes)
        case ast.Tuple(elts=items):
            return tuple(_resolve(item, scopes) for item in items)
        case ast.List(elts=items):
            return [_resolve(item, scopes) for item in items]
        case _:
            pass
    raise denied(
        "an annotation that runs code", "textual annotations name types only", "a real annotation"
    )


def _lookup(name: str, scopes: Iterable[Any]) -> Any:
    from codemode.sandbox.language.builtins import SAFE

    if attributes.is_dunder(name):
        raise refuse_name(name)
    for scope in scopes:
        # A library's namespace is none that a program may name things in.
        if name in scope and (MARK in scope or _NAMESPACE.isdisjoint(scope)):
            found: Any = scope[name]
            if not isinstance(found, ModuleType):
                return found
    if name in SAFE:
        return SAFE[name]
    raise NameError(f"name {name!r} is not defined")


#: What the namespaces of modules have and others have not.
_NAMESPACE: Final = frozenset({"__builtins__", "__spec__", "__loader__"})
