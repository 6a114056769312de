"""Which objects are the program's own: its classes, their instances, its functions.

A guest process runs one program, so the record is one set for the process. Only `classes` adds to
it on purpose; a class that the standard library made for the program (a named tuple, an enum) is
recognised by its module and added when first met. No method of the object in question is called.
"""

from __future__ import annotations

import ast
import functools
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

#: The name of the module that programs believe to be.
PROGRAM_MODULE: Final = "__main__"

#: Where programs believe to lie: in their scratch tree.
PROGRAM_FOLDER: Final = "/scratch/"

#: A global that only a program's namespace has; no identifier can be spelt so.
MARK: Final = "$own"

#: Classes made by the program. Membership is read by compiled programs under the name `MARK`.
OWN: Final[set[type]] = set()

#: Every class that was there before any program; its `__module__` says nothing.
FOREIGN: Final[set[type]] = set()

#: Foreign classes that programs may inherit from: filled from the views when they are built.
BASES: Final[set[type]] = set()

#: Those among them that the interpreter would let change, and that a guest has sealed.
SEALED: Final[set[type]] = set()

#: Foreign classes whose instances a program may set attributes on, from the module table.
WRITABLE: Final[set[type]] = set()

#: Foreign classes whose instances take public attributes alone: their private ones are not the
#: program's to read or to change.
SETTABLE: Final[set[type]] = set()

#: Exact types of values without a public attribute that could be set; more from the module table.
PLAIN: Final[set[type]] = {
    *(bool, bytearray, bytes, complex, dict, float, frozenset, int, list, object, range, set),
    *(slice, str, tuple, type(None), BuiltinFunctionType),
}

#: Name and line of the program's functions that trust their first parameter.
UNCHECKED: Final[set[tuple[str, int]]] = set()

#: Functions that the library made for one of the program's classes alone: `__new__` of a record.
MADE: Final[set[FunctionType]] = set()

#: Roots of opt-in packages: their objects are open to the program, the kernel being their boundary.
PACKAGES: Final[set[str]] = set()

_HEAP_TYPE: Final = 1 << 9
#: Py_TPFLAGS_IMMUTABLETYPE.
IMMUTABLE_TYPE: Final = 1 << 8
_CACHE: Final[type] = type(functools.lru_cache(abs))
_getattribute = type.__getattribute__


def exact_type(value: object) -> type:
    """The real class of `value`, whatever the object says of itself."""
    return type(value)


def expect(value: object, kind: type) -> None:
    """Refuse a `self` that is no `kind`: whoever has a class can call its methods with anything.

    Raises:
        TypeError: It is none, whatever it says of itself.
    """
    if not issubclass(exact_type(value), kind):
        raise TypeError(f"a {kind.__name__!r} object is needed, not {exact_type(value).__name__!r}")


def is_class(value: object) -> bool:
    """Whether `value` is a class."""
    return issubclass(type(value), type)


def is_metaclass(value: Any) -> bool:
    """Whether `value` is a class that makes classes."""
    return is_class(value) and issubclass(value, type)


def is_own_class(kind: Any) -> bool:
    """Whether `kind` was made by the program."""
    if kind in OWN:
        return True
    if kind in FOREIGN or not _getattribute(kind, "__flags__") & _HEAP_TYPE:
        return False
    module: Any = _getattribute(kind, "__dict__").get("__module__")
    if module != PROGRAM_MODULE or issubclass(kind, type):
        return False
    OWN.add(kind)
    return True


def is_foreign_function(value: object) -> bool:
    """Whether `value` is a function in Python that is not the program's: it takes any attribute."""
    return exact_type(value) is FunctionType and not is_own_function(value)


def is_own_function(value: object) -> bool:
    """Whether `value` is a function compiled from the program, or a cache around one."""
    kind = exact_type(value)
    if kind is FunctionType:
        return MARK in value.__globals__  # type: ignore[attr-defined]  # the exact type has it
    if kind is _CACHE:
        return is_own_function(value.__wrapped__)  # type: ignore[attr-defined]  # set by lru_cache
    return False


def is_own_code(value: Any) -> bool:
    """Whether `value` is a function of the program's, or one bound to an object."""
    return is_own_function(value.__func__ if type(value) is MethodType else value)


def is_own(value: Any) -> bool:
    """Whether `value` is an instance of a class of the program's, such a class, or its function."""
    kind = exact_type(value)
    if kind in OWN or is_own_class(kind):
        return True
    if is_class(value):
        return is_own_class(value)
    return is_own_function(value)


def is_made(value: object) -> bool:
    """Whether `value` is a function that the library made for one of the program's classes."""
    return type(value) is FunctionType and value in MADE


def is_writable(value: Any) -> bool:
    """Whether the program may set attributes on `value`."""
    kind = exact_type(value)
    if kind in OWN or is_own(value) or kind in WRITABLE:
        return True
    if kind is FunctionType:
        return is_made(value)
    # Errors are data: programs add codes and notes to the ones they caught.
    return is_of_package(kind) or issubclass(kind, BaseException)


def is_settable(value: Any) -> bool:
    """Whether the program may set public attributes on `value`."""
    kind = exact_type(value)
    return kind in SETTABLE or is_writable(value) or issubclass(kind, ast.AST)


def takes_none(value: Any) -> bool:
    """Whether the interpreter itself refuses to set any public attribute of `value`."""
    kind = exact_type(value)
    if kind is type:
        return bool(_getattribute(value, "__flags__") & IMMUTABLE_TYPE) and value not in SEALED
    return kind in PLAIN


def is_of_package(kind: type) -> bool:
    """Whether `kind` comes from a package that the operator let in."""
    if not PACKAGES:
        return False
    module: Any = _getattribute(kind, "__module__")
    return type(module) is str and module.partition(".")[0] in PACKAGES


def adopt(kind: Any) -> None:
    """Record a class that was just made for the program."""
    if is_class(kind) and not issubclass(kind, type):
        OWN.add(kind)
