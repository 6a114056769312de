"""Classes of the image that nobody can write to any more: the interpreter itself refuses.

A class of the library is one object for everything in the guest that uses it. The language policy
keeps a program's own text from writing to one; library code that stores to whatever it was given
asks nobody. A class written in Python is made like one written in C: its attributes are fixed.

Must never touch a class of the program's, and does nothing where a class is kept in a way that is
not known here. Source: Py_TPFLAGS_IMMUTABLETYPE in the documentation of type objects.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any, Final

from codemode.sandbox.language.ownership import IMMUTABLE_TYPE, SEALED

#: Where a class keeps its flags, from its address on, on 64-bit machines.
_OFFSET: Final = 168

#: On these the library itself keeps a count, or a mark: whoever uses one writes to it.
_KEEPS_STATE: Final = frozenset({("difflib", "HtmlDiff"), ("weakref", "finalize")})


def seal(classes: Iterable[type]) -> None:
    """Fix the attributes of `classes`."""
    for kind in classes:
        held = type.__getattribute__(kind, "__dict__")
        if (held.get("__module__"), type.__getattribute__(kind, "__name__")) in _KEEPS_STATE:
            continue
        flags = _flags_of(kind)
        if flags is not None and not flags.value & IMMUTABLE_TYPE:
            flags.value |= IMMUTABLE_TYPE
            SEALED.add(kind)


def unseal() -> None:
    """Undo it: for a program that is to meet plain Python."""
    while SEALED:
        flags = _flags_of(SEALED.pop())
        if flags is not None:
            flags.value &= ~IMMUTABLE_TYPE


def _flags_of(kind: Any) -> ctypes.c_ulong | None:
    """The flags of a class, to be changed; None if they are not where they should be."""
    flags = ctypes.c_ulong.from_address(id(kind) + _OFFSET)
    known: int = type.__getattribute__(kind, "__flags__")
    return flags if flags.value == known else None
