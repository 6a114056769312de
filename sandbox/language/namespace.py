"""The namespace that a program runs in: a fresh module, the builtins, the checks, the bindings."""

from __future__ import annotations

import builtins
import posixpath
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final

from codemode.sandbox.language import hooks
from codemode.sandbox.language.builtins import SAFE, local_names
from codemode.sandbox.language.classes import checked_slots, own_super
from codemode.sandbox.language.functions import fact_of
from codemode.sandbox.language.giving import own_instance
from codemode.sandbox.language.importing import importer
from codemode.sandbox.language.matching import Gate, check_group
from codemode.sandbox.language.ownership import MARK, OWN, PROGRAM_FOLDER, PROGRAM_MODULE
from codemode.sandbox.language.stores import writable, writable_inside
from codemode.sandbox.language.traces import line_of, trace_of
from codemode.sandbox.language.views import Views
from codemode.sandbox.program import Policy

#: Builtins made ahead for one run: a copy writes to the memory of everything in it, which a guest
#: would have to copy first.
_ahead: Final[list[dict[str, Any]]] = []


def make_builtins_ahead(views: Views) -> None:
    """Have the builtins of the next run of `views` ready; in the fork server."""
    _ahead[:] = [{**SAFE, **views.builtins}]


def make_globals(
    views: Views,
    *,
    print_: Callable[..., None] = print,
    bindings: Mapping[str, object] | None = None,
    modules: Mapping[str, object] | None = None,
    filename: str = "program.py",
    policy: Policy = "restricted",
) -> dict[str, Any]:
    """The globals of one run; it becomes the process's `__main__`, where libraries look classes up.

    Args:
        views: Of the process.
        print_: What the program calls as `print`.
        bindings: Further globals, by name.
        modules: Objects of this run that can be imported by name, before any module.
        filename: What `__file__` says, in the program's folder.
        policy: "none" gives the interpreter's own builtins, with `print_` in place.
    """
    main = ModuleType(PROGRAM_MODULE)
    namespace: dict[str, Any] = vars(main)
    namespace["__file__"] = posixpath.join(PROGRAM_FOLDER, filename)
    if policy == "none":
        namespace["__builtins__"] = {**vars(builtins), "print": print_}
    else:
        held = _ahead.pop() if _ahead else {**SAFE, **views.builtins}
        held["print"] = print_
        held["__import__"] = importer(views, modules or {})
        namespace["__builtins__"] = held
        namespace.update(
            {
                "$load": hooks.guarded_getattr,
                "$write": writable,
                "$inside": writable_inside,
                "$place": hooks.changed_in_place,
                "$self": own_instance,
                "$super": own_super,
                "$locals": local_names,
                "$type": type,
                "$group": check_group,
                "$trace": trace_of,
                "$line": line_of,
                "$fact": fact_of,
                "$slots": checked_slots,
                "$gate": Gate,
                "$error": BaseException,
                MARK: OWN,
            }
        )
    namespace.update(bindings or {})
    sys.modules[PROGRAM_MODULE] = main
    return namespace
