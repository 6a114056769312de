"""The names that the loaded modules use, read off their code.

An attribute `_x` of a program is ordinary unless some loaded module spells one the same way; then
it could reach into the library, and the object decides. A method of a program's is called by the
library only under a name that the library spells.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

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
    private: set[str] = set()
    public: set[str] = set()
    for value in gc.get_objects():
        if isinstance(value, FunctionType):
            found = {name for code in _codes(value.__code__) for name in code.co_names}
            home: Any = value.__globals__.get("__name__")
        elif isinstance(value, type):
            found = {name for name in vars(value) if type(name) is str}
            private.update(f"{n}()" for n in found if isinstance(vars(value)[n], _METHODS))
            home = vars(value).get("__module__")
        elif isinstance(value, ModuleType):
            private.update(name for name in vars(value) if type(name) is str)
            continue
        else:
            continue
        private |= found
        if type(home) is str and home.partition(".")[0] in roots:
            public |= found
    public -= {name for name in public if name.startswith("_")}
    named = (name for name in private if name.startswith("_") and name[:2] != "__")
    return frozenset(public.union(named))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def all_classes() -> list[type]:
    """Every class of this process."""
    return [value for value in gc.get_objects() if issubclass(type(value), type)]
