"""`__import__` for programs: views by name, and what to use instead of a module that is not there.

No module object may come out of here, except of opt-in packages and `__future__`.
"""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from codemode.sandbox.language import hooks, modules
from codemode.sandbox.language.view import about, held
from codemode.sandbox.language.views import Views


def importer(views: Views, local: Mapping[str, object]) -> Callable[..., Any]:
    """`__import__` for one program.

    Args:
        views: Of the process.
        local: What this run can import besides, such as its tools; looked at first.
    """

    def load(
        name: str,
        globals: object = None,
        locals: object = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        if type(name) is not str:
            raise TypeError("module name must be a string")
        if level:
            raise ImportError("attempted relative import with no known parent package")
        if name in local:
            for one in fromlist or ():
                if str(one).startswith("_"):
                    hooks.guarded_getattr(local[name], one, None)
            return local[name]
        found = views.modules.get(name)
        if found is not None:
            return (
                _checked(found, name, fromlist)
                if fromlist
                else views.modules[name.partition(".")[0]]
            )
        if name == "__future__":
            return importlib.import_module(name)
        if type(fromlist) is list and name in modules.INTERNAL:
            # C code of the library imports by this road, and takes the module from elsewhere.
            importlib.import_module(name)
            return None
        if name.partition(".")[0] in views.packages:
            return importlib.import_module(name) if fromlist else importlib.__import__(name)
        raise ModuleNotFoundError(_missing(name), name=name)

    load.__name__ = load.__qualname__ = "__import__"
    return load


def _checked(found: Any, name: str, wanted: Any) -> Any:
    """`found`, if it has all the names that a `from` import wants."""
    names = held(found)
    for one in wanted:
        if type(one) is str and one != "*" and one not in names:
            reason = about(found)[1].get(one)
            why = f": it is withheld because {reason}" if reason else ""
            if reason and (instead := modules.instead(name, one, reason)):
                why += f"; use {instead} instead"
            raise ImportError(f"cannot import name {one!r} from {name!r}{why}", name=name)
    return found


def _missing(name: str) -> str:
    root = name.partition(".")[0]
    for key in (name, root):
        if key in modules.MISSING:
            reason, instead = modules.MISSING[key]
            return f"No module named {name!r} in this sandbox: {reason}; use {instead} instead"
    known = [row.name for row in modules.TABLE]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    hint = f"; did you mean {near[0]!r}?" if near else _INSTEAD
    if root in sys.stdlib_module_names:
        return f"No module named {name!r} in this sandbox: it is not among the open modules{hint}"
    return (
        f"No module named {name!r} in this sandbox: only part of the standard library is"
        f" installed{hint}"
    )


_INSTEAD: Final = "; use the standard library (json, re, csv, datetime, ...) or a tool instead"
