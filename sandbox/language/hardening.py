"""Standard library functions that would do for a program what the policy refuses it.

Some build source text from names (`namedtuple`, the functional enum), some follow attributes named
in text (`string.Formatter`), some evaluate annotations. A view cannot stand in front of them: other
library code calls them with the program's values. So each is replaced in the process, once, by a
version with the same contract and a check: the versions are in `hardened`, by what they keep from
happening; here is which stands where. Called by the fork server before it serves.
"""

from __future__ import annotations

import abc
import argparse
import collections
import contextlib
import copy
import copyreg
import dataclasses
import enum
import functools
import importlib
import inspect
import logging
import pprint
import statistics
import string
import tarfile
import traceback
import typing
import urllib.parse
import warnings
import weakref
import zipfile
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, Final, cast

from codemode.sandbox.language import hooks, modules
from codemode.sandbox.language.hardened import (
    archives,
    caches,
    computed,
    descriptors,
    evaluated,
    filled,
    formats,
    kinds,
    sources,
    traces,
)
from codemode.sandbox.language.ownership import is_class, is_metaclass
from codemode.sandbox.language.readonly import ReadOnly, ReadOnlyProxy
from codemode.sandbox.language.words import words

#: What was replaced: owner, name, and the original if there was one.
_replaced: list[tuple[Any, str, Any]] = []
_ABSENT: Final = object()


def harden() -> None:
    """Replace them; idempotent."""
    if _replaced:
        return
    # Names that become source text or classes.
    _wrap(collections, "namedtuple", sources.namedtuple)
    _wrap(enum.EnumMeta, "_create_", sources.create_enum)
    _replace(dataclasses.Field, "__setattr__", sources.set_field)
    _wrap(dataclasses, "_is_type", sources.is_type)
    builder: Any = getattr(dataclasses, "_FuncBuilder", None)  # since 3.13
    if builder is None:
        _wrap(dataclasses, "_create_fn", sources.create_function)
    else:
        _wrap(builder, "add_fn", sources.add_function)
    if hasattr(dataclasses, "_replace"):  # since 3.13
        _replace(dataclasses, "_replace", kinds.for_instances(vars(dataclasses)["_replace"]))
    # Attributes named in text.
    _wrap(string.Formatter, "get_field", formats.get_field)
    _wrap(collections.UserString, "format", formats.user_string_format)
    _wrap(collections.UserString, "format_map", formats.user_string_format)
    _wrap(logging.StrFormatStyle, "__init__", formats.style_init)
    _wrap(logging.StrFormatStyle, "_format", formats.style_format)
    _wrap(logging.Handler, "format", formats.handler_format)
    _wrap(logging.Formatter, "formatMessage", formats.style_of_formatter)
    _wrap(logging.BufferingFormatter, "format", formats.buffer_format)
    # Text that becomes code.
    _wrap(inspect, "_signature_fromstr", evaluated.text_signature)
    forward = typing.ForwardRef
    for name in ("_evaluate", "evaluate"):
        if hasattr(forward, name):
            _wrap(forward, name, evaluated.evaluate_reference)
    # Descriptors, of any instance.
    _wrap(functools, "singledispatch", descriptors.single_dispatch)
    _wrap(functools.cached_property, "__get__", descriptors.cached)
    _wrap(functools.partialmethod, "__get__", descriptors.partial_method)
    _replace(enum.property, "__get__", descriptors.enum_property(enum.property))
    manager: Any = vars(logging.LoggerAdapter)["manager"]
    _replace(logging.LoggerAdapter, "manager", manager.setter(descriptors.adapter_manager))
    for name in ("abstractclassmethod", "abstractstaticmethod"):
        _wrap(vars(abc)[name], "__init__", descriptors.abstract)
    # Keys of caches, which are compared.
    _wrap(urllib.parse, "urlsplit", caches.split_url)
    literal: Any = typing.Literal
    _replace(literal, "_getitem", literal._getitem.__wrapped__)
    _wrap(vars(typing)["_GenericAlias"], "__eq__", caches.same_alias)
    # Objects that are filled.
    _wrap(copy, "_reconstruct", filled.reconstruct)
    _replace(copy, "getattr", filled.copy_getattr)
    _replace(copy, "setattr", filled.copy_setattr)
    copiers = vars(copy)["_deepcopy_dispatch"]
    _replace(copy, "_deepcopy_dispatch", {**copiers, MethodType: filled.deepcopy_method})
    _replace(collections.UserDict, "__copy__", filled.copy_wrapped)
    _replace(collections.UserList, "__copy__", filled.copy_wrapped)
    _wrap(logging, "setLogRecordFactory", filled.record_factory)
    handlers: Any = importlib.import_module("logging.handlers")
    queued = handlers.QueueHandler
    _replace(queued, "prepare", kinds.about_one(queued.prepare, logging.LogRecord))
    archive: Any = zipfile.ZipFile
    _replace(archive, "_open_to_write", kinds.about_one(archive._open_to_write, zipfile.ZipInfo))
    for module in (tarfile, handlers):
        _replace(module, "copy", filled.COPY)
    _replace(enum.EnumMeta, "_find_new_", classmethod(filled.members_alone(enum.EnumMeta)))
    half_made: Any = vars(enum)["_proto_member"]
    _wrap(half_made, "__set_name__", filled.member_of_enum)
    _replace(contextlib, "MethodType", filled.exit_method)
    _wrap(copyreg, "_reconstructor", filled.reconstruct_by_base)
    redirecting = getattr(contextlib, "_RedirectStream")  # noqa: B009  # not in the stubs
    _wrap(redirecting, "__enter__", filled.redirect_stream)
    _wrap(redirecting, "__exit__", filled.redirect_stream)
    _wrap(warnings.catch_warnings, "__init__", filled.catch_warnings)
    # Names and objects that `argparse` takes: it sees the policy's own accessors.
    _replace(argparse, "getattr", filled.parser_getattr)
    _replace(argparse, "vars", filled.parser_vars)
    _replace(argparse, "setattr", hooks.guarded_setattr)
    _replace(argparse, "delattr", hooks.guarded_delattr)
    # Names of attributes that are computed, and whole dicts of them.
    for name in computed.MODULES:
        module = importlib.import_module(name)
        for builtin, accessor in computed.accessors(module).items():
            _replace(module, builtin, accessor)
    # What is told of a module by its text is told before: these wrap some of it.
    for style in (logging.PercentStyle, logging.StrFormatStyle, logging.StringTemplateStyle):
        _wrap(style, "_format", computed.record_style)
    _replace(tarfile.TarFile, "OPEN_METH", ReadOnly(tarfile.TarFile.OPEN_METH))
    _replace(enum.EnumMeta, "__members__", property(kinds.members))
    printer: Any = pprint.PrettyPrinter
    _replace(printer, "isrecursive", kinds.for_its_own(printer.isrecursive, printer))
    _wrap(printer, "_pprint_simplenamespace", computed.printed_namespace)
    namespaces: dict[Any, Any] = {
        SimpleNamespace.__repr__: vars(printer)["_pprint_simplenamespace"]
    }
    _replace(printer, "_dispatch", {**printer._dispatch, **namespaces})
    # Frames as text.
    frames = traceback.StackSummary
    _replace(frames, "_extract_from_extended_frame_gen", classmethod(traces.extract_frames(frames)))
    _wrap(traceback.TracebackException, "__eq__", traces.same_trace)
    _wrap(traceback.TracebackException, "__init__", traces.of_error)
    from_exception = classmethod(traces.from_exception(traceback.TracebackException))
    _replace(traceback.TracebackException, "from_exception", from_exception)
    # Kinds that are called.
    _wrap(statistics, "_coerce", kinds.common_type)
    _wrap(inspect, "_signature_is_builtin", kinds.is_builtin)
    _replace(weakref.WeakMethod, "__new__", staticmethod(kinds.weak_method(weakref.WeakMethod)))
    _replace(zipfile.Path, "__repr__", archives.path_text)
    _replace(archives.COMPLETE, "make", classmethod(archives.complete_dirs))
    _replace(dataclasses, "_EMPTY_METADATA", ReadOnlyProxy({}))
    if hasattr(inspect, "_descriptor_get"):  # since 3.13
        _wrap(inspect, "_descriptor_get", kinds.descriptor_get)
    _replace(importlib.import_module("unittest.suite"), "enumerate", kinds.enumerated_tests)
    for module in map(importlib.import_module, _OF_INSTANCES):
        for kind in list(vars(module).values()):
            is_its = is_class(kind) and kind.__module__ == module.__name__
            if is_its and not (is_metaclass(kind) or kind in _OF_CALLERS):
                _guard_instances(kind)
    for asserting in _ASSERTING:
        _guard_instances(asserting)
    events: Any = importlib.import_module("asyncio.events")
    loops: Any = importlib.import_module("asyncio.base_events")
    for kind, name in ((events.TimerHandle, "__eq__"), (loops.BaseEventLoop, "run_forever")):
        _replace(kind, name, kinds.for_its_own(vars(kind)[name], kind))


def guard_methods(bases: Iterable[type], others: Iterable[type]) -> None:
    """Refuse a foreign `self` of methods that look at its kind, which may be the real `type`.

    Idempotent.

    Args:
        bases: Classes that programs inherit from: methods that make another object of the kind that
            `self` is refuse a class.
        others: Of further classes of the library such methods take their own instances alone.
    """
    # By identity: a class may have its own notion of what it equals.
    lineage = {id(base): base for kind in bases for base in kind.__mro__}
    for owner in lineage.values():
        _guard_kinds(owner, kinds.for_instances)
    for owner in {id(kind): kind for kind in others if id(kind) not in lineage}.values():
        if str(owner.__module__).partition(".")[0] in _STANDARD:
            _guard_kinds(owner, functools.partial(kinds.for_its_own, owner=owner))


#: What `assertLogs` and its kin give: they set what their attributes name, a logger's handlers too.
_ASSERTING: Final[tuple[type, ...]] = tuple(
    kind
    for name, kind in vars(importlib.import_module("unittest.case")).items()
    if name.startswith("_Assert") and name.endswith("Context")
)

#: Modules whose methods set or call what `self` holds: each takes an instance of its class alone.
#: Not all modules: a check costs a third of a microsecond.
_OF_INSTANCES: Final = words(
    "argparse asyncio.timeouts configparser contextlib logging logging.handlers string tarfile",
    "threading unittest._log unittest.loader unittest.result unittest.runner unittest.suite",
    "warnings weakref zipfile",
)

#: They ask by the depth of the stack who called them.
_OF_CALLERS: Final = (logging.Logger, logging.LoggerAdapter, logging.RootLogger)


def _guard_instances(kind: type) -> None:
    for name, value in list(_own_names(kind).items()):
        if type(value) is FunctionType and name not in _ABOUT_CLASSES:
            _replace(kind, name, kinds.for_its_own(value, kind))


#: Implicit class and static methods.
_ABOUT_CLASSES: Final = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})

#: Where programs get classes from.
_STANDARD: Final = frozenset(name.partition(".")[0] for name in modules.BY_NAME)


def _guard_kinds(owner: type, guard: Callable[..., Any]) -> None:
    if issubclass(owner, type):
        return
    for name, value in list(_own_names(owner).items()):
        if kinds.makes_its_like(value, name):
            _replace(owner, name, guard(value))
        elif type(value) is property and kinds.makes_its_like(value.fget, name):
            _replace(owner, name, value.getter(guard(value.fget)))


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
    is_home = isinstance(owner, (type, ModuleType))  # else what it has is perhaps in slots
    held = _own_names(owner).get(name, _ABSENT) if is_home else getattr(owner, name)
    _replaced.append((owner, name, held))
    setattr(owner, name, value)


def _wrap(owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
    """Replace `owner.name` by `wrapper`, which gets the original first."""
    original = getattr(owner, name)

    def checked(*arguments: Any, **keywords: Any) -> Any:
        return wrapper(original, *arguments, **keywords)

    checked.__name__, checked.__qualname__ = name, getattr(original, "__qualname__", name)
    checked.__doc__, checked.__module__ = original.__doc__, original.__module__
    _replace(owner, name, checked)
