"""The names that the loaded modules use, read off their code.

An attribute `_x` of a program is ordinary unless some loaded module spells one the same way; then
it could reach into the library, and the object decides. A method of a program's is called by the
library only under a name that the library spells.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

#: What programs run on, besides the standard library.
_OURS: Final = frozenset({"codemode", "greenlet", "msgpack"})


def library_names(modules: Iterable[str] = ()) -> frozenset[str]:
    """The names, special ones apart, by which the library knows attributes.

    Those that begin with an underscore are of all that is loaded.

    Args:
        modules: What programs can import besides the standard library.
    """
    roots = _OURS.union(sys.stdlib_module_names, (name.partition(".")[0] for name in modules))
    library: set[str] = set()
    others: set[str] = set()

    def names_of(home: object) -> set[str]:
        return library if type(home) is str and home.partition(".")[0] in roots else others

    objects = gc.get_objects()
    for home, codes in _codes_by_home(_all_of(FunctionType, objects)):
        _read(codes, names_of(home))
    for kind in _all_of(type, objects):
        held: Mapping[str, object] = type.__getattribute__(kind, "__dict__")
        names_of(held.get("__module__")).update(held)
    for module in _all_of(ModuleType, objects):
        others.update(vars(module))
    public = [name for name in library if type(name) is str and name[:1] != "_"]
    return frozenset((*public, *_private(library | others)))


def all_classes() -> list[type]:
    """Every class of this process."""
    return _all_of(type, gc.get_objects())


def _private(names: Iterable[object]) -> list[str]:
    """Those that begin with one underscore; a dict of names may hold other keys."""
    return [name for name in names if type(name) is str and name[:1] == "_" and name[:2] != "__"]


def _codes_by_home(functions: Iterable[FunctionType]) -> Iterator[tuple[object, list[CodeType]]]:
    """The code of `functions`, by the name of the module that they are of."""
    homes: dict[int, tuple[dict[str, object], list[CodeType]]] = {}
    for function in functions:
        held = function.__globals__
        homes.setdefault(id(held), (held, []))[1].append(function.__code__)
    return ((held.get("__name__"), codes) for held, codes in homes.values())


def _read(codes: list[CodeType], names: set[str]) -> None:
    """Take in the names of attributes in code objects, and in those inside them."""
    while codes:
        names.update(*[code.co_names for code in codes])
        codes = [inner for code in codes for inner in code.co_consts if type(inner) is CodeType]


def _all_of(kind: type[_T], objects: Iterable[Any]) -> list[_T]:
    """Those of `objects` that are one, or of a class below."""
    return [value for value in objects if issubclass(type(value), kind)]
