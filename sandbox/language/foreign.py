"""The names that the loaded modules use, read off their code.

An attribute `_x` of a program is ordinary unless some loaded module spells one the same way; then
it could reach into the library, and the object decides. A method of a program's is called by the
library only under a name that the library spells.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Final, TypeVar

_T = TypeVar("_T")

_METHODS: Final = (FunctionType, classmethod, staticmethod)

#: What programs run on, besides the standard library.
_OURS: Final = frozenset({"codemode", "greenlet", "msgpack"})


def library_names(modules: Iterable[str] = ()) -> frozenset[str]:
    """The names, special ones apart, by which the library knows attributes.

    Those that begin with an underscore are of all that is loaded; the ones among them that are
    methods are there once more, with `()` behind.

    Args:
        modules: What programs can import besides the standard library.
    """
    roots = _OURS.union(sys.stdlib_module_names, (name.partition(".")[0] for name in modules))
    library: set[str] = set()
    others: set[str] = set()

    def names_of(home: object) -> set[str]:
        return library if type(home) is str and home.partition(".")[0] in roots else others

    for function in _all_of(FunctionType):
        _read(function.__code__, names_of(function.__globals__.get("__name__")))
    methods: set[str] = set()
    for kind in all_classes():
        held: Mapping[str, object] = type.__getattribute__(kind, "__dict__")
        found = [name for name in held if type(name) is str]
        names_of(held.get("__module__")).update(found)
        methods.update([name for name in found if isinstance(held[name], _METHODS)])
    for module in _all_of(ModuleType):
        others.update([name for name in vars(module) if type(name) is str])
    public = (name for name in library if not name.startswith("_"))
    private = filter(_is_private, library | others)
    return frozenset((*public, *private, *(f"{name}()" for name in filter(_is_private, methods))))


def _is_private(name: str) -> bool:
    return name[:1] == "_" and name[:2] != "__"


def _read(code: CodeType, names: set[str]) -> None:
    """Take in the names of attributes in a code object, and in those inside it."""
    names.update(code.co_names)
    for constant in code.co_consts:
        if type(constant) is CodeType:
            _read(constant, names)


def _all_of(kind: type[_T]) -> list[_T]:
    """Every object of this process that is one, or of a class below."""
    return [value for value in gc.get_objects() if issubclass(type(value), kind)]


def all_classes() -> list[type]:
    """Every class of this process."""
    return _all_of(type)
