"""Library code that reads or sets attributes whose names it computes, of what a program gave it.

A dispatcher to `visit_...`, a builder that keeps options, a printer of namespaces: called with a
`self` of the program's it reads any attribute of any object, or takes a method out of a class and
calls it with any `self`. In these modules `getattr` and its kin are the policy's own; of what the
module itself has made, all is read as before.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, cast

from codemode.sandbox.language import hooks, loads
from codemode.sandbox.language.giving import unbound
from codemode.sandbox.language.ownership import exact_type, is_class, is_own_class
from codemode.sandbox.language.refusals import refuse_name
from codemode.sandbox.language.words import words

#: The modules, and which builtins they are given.
MODULES: Final = {
    "ast": words("getattr setattr delattr"),
    "configparser": words("getattr setattr delattr"),
    "dataclasses": words("getattr"),
    "pprint": words("getattr"),
    "reprlib": words("getattr"),
    "tarfile": words("getattr setattr"),
    "tempfile": words("getattr"),
    "unittest.case": words("getattr"),
    "xml.dom.xmlbuilder": words("getattr setattr"),
}


def accessors(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """What stands for the builtins in `module`."""
    home = module.__name__
    spelled = frozenset(_spelled(module))

    def is_at_home(value: Any) -> bool:
        kind: Any = exact_type(value)
        return kind.__module__ == home and not is_own_class(kind)

    def read(value: Any, name: str, *default: Any) -> Any:
        if name not in spelled and not is_at_home(value):
            return hooks.guarded_getattr(value, name, *default)
        found = getattr(value, name, *default)
        return unbound(found) if type(found) is FunctionType else found

    def write(value: Any, name: str, new: Any) -> None:
        (setattr if is_at_home(value) else hooks.guarded_setattr)(value, name, new)

    def delete(value: Any, name: str) -> None:
        (delattr if is_at_home(value) else hooks.guarded_delattr)(value, name)

    given: dict[str, Callable[..., Any]] = {"getattr": read, "setattr": write, "delattr": delete}
    return {name: given[name] for name in MODULES[home]}


def _spelled(module: ModuleType) -> set[str]:
    """The texts in the code and the globals of `module`: names that it chose itself."""
    found: set[str] = set()
    todo: list[Any] = list(vars(module).values())
    seen: set[int] = set()
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, str):
            found.add(one)
        elif isinstance(one, type) and one.__module__ == module.__name__:
            todo.extend(vars(one).values())
        elif isinstance(one, FunctionType) and one.__globals__ is vars(module):
            todo.append(one.__code__)
        elif isinstance(one, CodeType):
            todo.extend(one.co_consts)
        elif isinstance(one, (staticmethod, classmethod)):
            todo.append(cast("Any", one).__func__)
        elif isinstance(one, property):
            todo.append(one.fget)
    return found


def record_style(original: Any, self: Any, record: Any) -> Any:
    """A style of `logging` gives all that a record holds to a template, perhaps a program's."""
    _check_dict(record)
    return original(self, record)


def printed_namespace(original: Any, self: Any, value: Any, *rest: Any) -> Any:
    """`pprint` gives all that a namespace holds to a method, perhaps a program's."""
    _check_dict(value)
    return original(self, value, *rest)


def _check_dict(value: Any) -> None:
    if is_class(value):
        raise refuse_name("__dict__")  # its plain functions are in it
    loads.load(value, "__dict__")
