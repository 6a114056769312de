"""The builtins that programs have: the interpreter's own, less what runs text, some with guards.

`open`, `input` and the like belong to the guest and come with the views. What is missing is there
as a function that says so, since a bare NameError would teach nothing.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

from codemode.sandbox.language import attributes, hooks, loads
from codemode.sandbox.language.attributes import NAMES, Verdict
from codemode.sandbox.language.classes import Type, build_class
from codemode.sandbox.language.refusals import denied
from codemode.sandbox.language.stand_ins import shown_class
from codemode.sandbox.language.words import words

_NATIVE: Final = words(
    "abs aiter all anext any ascii bin bool bytearray bytes callable chr",
    "complex dict divmod enumerate filter float format frozenset hash hex id int isinstance",
    "issubclass iter len list map max memoryview min next object oct ord pow property range",
    "repr reversed round set slice sorted staticmethod str sum super tuple zip None True",
    "False Ellipsis NotImplemented __debug__",
)

_ERRORS: Final = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}

#: Builtins that a guest provides, and what they say where it does not.
_GUEST: Final = {
    "open": "there are no files in this run",
    "input": "there is no input; the program's data comes from its tools",
    "help": "there is no pager; print(x.__doc__) shows a description",
}


_NOTHING: Final = object()


def _vars(value: Any = _NOTHING, /) -> Any:
    """`vars(x)`; without an argument it would be the policy's own namespace."""
    if value is _NOTHING:
        raise denied(
            "vars() without an argument", "the namespace holds the policy's own checks", "a dict"
        )
    if not hasattr(value, "__dict__"):
        raise TypeError("vars() argument must have __dict__ attribute")
    return loads.load(value, "__dict__")


def _caller_locals(depth: int) -> Mapping[str, Any]:
    frame = sys._getframe(depth)  # pyright: ignore[reportPrivateUsage]  # the documented way
    return frame.f_locals


def _dir(*arguments: Any) -> list[str]:
    """`dir`, without the names that belong to the policy, and those that it refuses to read."""
    if len(arguments) == 1:
        return [name for name in dir(*arguments) if _is_readable(arguments[0], name)]
    if arguments:
        return dir(*arguments)
    return sorted(name for name in _caller_locals(2) if not name.startswith("$"))


def _is_readable(value: Any, name: Any) -> bool:
    if type(name) is not str:
        return True
    verdict = NAMES.load(name)
    if verdict is Verdict.HOOK and attributes.is_dunder(name):
        return hooks.guarded_hasattr(value, name)
    return verdict is not Verdict.REFUSED


def local_names() -> dict[str, Any]:
    """`locals()` in a function of the program: a copy, as it is in every Python since 3.13."""
    return {name: value for name, value in _caller_locals(2).items() if name[:1] not in "$."}


def _leave(code: Any = None) -> NoReturn:
    """`exit()` and `quit()`: end the program."""
    raise SystemExit(code)


def _absent(name: str, reason: str) -> Callable[..., NoReturn]:
    def absent(*_: Any, **__: Any) -> NoReturn:
        raise denied(f"{name}()", reason)

    absent.__name__ = absent.__qualname__ = name
    return absent


def _counted(native: Callable[..., Any], guarded: Callable[..., Any]) -> Callable[..., Any]:
    """`guarded`, where a wrong number of arguments gets the interpreter's own message."""
    wanted = 3 if native is setattr else 2

    def call(*arguments: Any, **named: Any) -> Any:
        if named or len(arguments) != wanted:
            return native(*arguments, **named)  # raises before it looks at any of them
        return guarded(*arguments)

    call.__name__ = call.__qualname__ = native.__name__
    return call


def _safe() -> dict[str, Any]:
    named = {"_vars": "vars", "_dir": "dir"}
    for function in (_vars, _dir):
        function.__name__ = function.__qualname__ = named[function.__name__]
    hooks.guarded_getattr.__name__ = hooks.guarded_getattr.__qualname__ = "getattr"
    return {
        **{name: getattr(builtins, name) for name in _NATIVE},
        **_ERRORS,
        **{name: _absent(name, reason) for name, reason in _GUEST.items()},
        "getattr": hooks.guarded_getattr,
        "hasattr": _counted(hasattr, hooks.guarded_hasattr),
        "setattr": _counted(setattr, hooks.guarded_setattr),
        "delattr": _counted(delattr, hooks.guarded_delattr),
        "type": Type,
        "classmethod": shown_class(classmethod),
        "vars": _vars,
        "dir": _dir,
        "exit": _leave,
        "quit": _leave,
        "print": print,
        "__build_class__": build_class,
    }


#: What every program has, before the guest adds its own.
SAFE: Final[Mapping[str, Any]] = _safe()
