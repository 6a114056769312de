"""Builds the views of all modules, once, from the table and the guest's own names.

Never a module is among a view's values. Each program's process has its copy of the views.
"""

from __future__ import annotations

import codecs
import importlib
import sys
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from codemode.sandbox.language import modules
from codemode.sandbox.language.attributes import NAMES
from codemode.sandbox.language.builtins import SAFE
from codemode.sandbox.language.classes import Type
from codemode.sandbox.language.foreign import all_classes, library_names
from codemode.sandbox.language.hardening import guard_methods, harden
from codemode.sandbox.language.ownership import (
    BASES,
    FOREIGN,
    PACKAGES,
    PLAIN,
    SETTABLE,
    WRITABLE,
    is_class,
)
from codemode.sandbox.language.replacements import REPLACEMENTS
from codemode.sandbox.language.stand_ins import shown_class
from codemode.sandbox.language.view import View, make_view
from codemode.sandbox.language.zones import read_ahead

#: Gives the guest's names for the view of one module; None when it has none.
Provider = Callable[[str], Mapping[str, object] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """Everything that `make_globals` and `compile_program` need from the fork server.

    Attributes:
        modules: View by import name.
        builtins: The guest's own builtins.
        foreign_names: Names in use by the loaded modules.
        packages: Opt-in packages, imported as they are: only the kernel stands around them.
    """

    modules: Mapping[str, View]
    builtins: Mapping[str, object]
    foreign_names: frozenset[str]
    packages: frozenset[str] = frozenset()


def build_views(
    provide: Provider | None = None, *, packages: Iterable[str] = (), modules_: Iterable[str] = ()
) -> Views:
    """Build every view, once, after all modules that guests need were imported and prepared.

    Args:
        provide: Asked for each module of the table, and for `builtins`; its names stand over the
            library's own.
        packages: Opt-in packages, importable as they are.
        modules_: Pure modules of the host's, each given a view of its public names.
    """
    harden()
    for name in modules.INTERNAL:
        importlib.import_module(name)
    for name in modules.CODECS:
        codecs.lookup(name)
    read_ahead()
    asked = provide or _nothing
    host = [modules.Module(name=name) for name in modules_]
    values = {row.name: _values(row, asked(row.name)) for row in (*modules.TABLE, *host)}
    extra = _public(asked("builtins") or {})
    for name in list(values):
        while "." in name:
            name = name.rpartition(".")[0]
            values.setdefault(name, {})
    views: dict[str, View] = {}
    for name in sorted(values, key=len, reverse=True):
        children = {
            child.rpartition(".")[2]: view
            for child, view in views.items()
            if child.rpartition(".")[0] == name
        }
        row = modules.BY_NAME.get(name)
        withheld: Mapping[str, str] = row.withheld if row else {}
        views[name] = make_view({**values[name], **children}, name, withheld)
    _open_classes(values, extra)
    FOREIGN.update(all_classes())
    guard_methods(BASES, FOREIGN)
    PACKAGES.update(packages)
    foreign = library_names((*packages, *modules_))
    NAMES.learn(foreign)
    return Views(modules=views, builtins=extra, foreign_names=foreign, packages=frozenset(packages))


def _nothing(_: str) -> None:
    """The provider of a process without a guest."""


def _values(row: modules.Module, given: Mapping[str, object] | None) -> dict[str, object]:
    if row.is_ours:
        return {**REPLACEMENTS[row.name], **(given or {})}
    real = importlib.import_module(row.name)
    names = row.only
    if names is None:
        listed = getattr(real, "__all__", [name for name in vars(real) if not name.startswith("_")])
        names = (*listed, *row.more)
    held = {
        name: getattr(real, name)
        for name in names
        if name not in row.withheld and hasattr(real, name)
    }
    held.update(REPLACEMENTS.get(row.name, {}))
    held.update(
        {
            name: value
            for name, value in (given or {}).items()
            if row.withheld.get(name) != modules.PROCESSES
        }
    )
    private = {name: vars(real)[name] for name in row.private if name in vars(real)}
    public = _public(held)
    if hasattr(real, "__all__"):
        public["__all__"] = tuple(name for name in real.__all__ if name in public)
    return {"__doc__": real.__doc__, **public, **private}


def _public(held: Mapping[str, object]) -> dict[str, object]:
    return {
        name: shown_class(value)
        for name, value in held.items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }


def _open_classes(values: Mapping[str, Mapping[str, object]], extra: Mapping[str, object]) -> None:
    """Record which foreign classes may be inherited from, and which instances may be written to."""
    value: Any
    for scope in (*values.values(), SAFE, extra):
        for value in scope.values():
            if is_class(value) and not issubclass(value, type) and value is not Type:
                BASES.add(value)
    # What `class X(NamedTuple)`, `TypedDict` and `Generic[T]` really inherit from.
    generic: Any = typing.Generic
    BASES.update((generic, tuple, dict, object))
    for name in ("_NamedTuple", "_TypedDict"):
        value = getattr(typing, name, None)
        if isinstance(value, type):
            BASES.add(value)
    BASES.difference_update(filter(None, map(_by_path, modules.NOT_BASES)))
    WRITABLE.update(filter(None, map(_by_path, modules.WRITABLE)))
    SETTABLE.update(filter(None, map(_by_path, modules.SETTABLE)))
    PLAIN.update(filter(None, map(_by_path, modules.PLAIN)))


def _by_path(path: str) -> type | None:
    owner, _, name = path.rpartition(".")
    found = getattr(sys.modules.get(owner), name, None)
    return found if isinstance(found, type) else None
