"""`inspect` and `importlib` for programs: what they say of the program's own functions and classes.

The library's own reads frames, source files and the defaults of any function, where guards and real
builtins are kept. Here signatures of foreign callables are given only where they hold plain data.
Must never give a frame, a code object or a function that it was not given.
Source: the documentation of `inspect`.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Self

from codemode.sandbox.language import hooks, loads
from codemode.sandbox.language.ownership import (
    BASES,
    PROGRAM_MODULE,
    exact_type,
    is_class,
    is_own,
    is_own_class,
    is_own_function,
)
from codemode.sandbox.language.refusals import denied
from codemode.sandbox.language.spelling import exact
from codemode.sandbox.language.view import View
from codemode.sandbox.language.words import words
from codemode.sandbox.marks import override


class Signature(inspect.Signature):
    """As `inspect.Signature`, of callables that hold nothing of the interpreter's inside."""

    __slots__ = ()

    @classmethod
    @override
    def from_callable(cls, obj: Any, *, follow_wrapped: bool = True, **options: Any) -> Self:
        """The signature of `obj`.

        Raises:
            DeniedError: It belongs to the interpreter and has defaults that are no plain data, or
                annotations were to be run as code.
        """
        if any(options.values()):
            raise denied("signature(eval_str=True)", "text must not become code", "get_type_hints")
        follow_wrapped = bool(follow_wrapped)  # asked once, of whatever it is
        own = list(_own_values(obj, follow_wrapped=follow_wrapped))
        made: Any = super().from_callable(obj, follow_wrapped=follow_wrapped)
        if not isinstance(made, inspect.Signature):
            raise denied("this __signature__", "it is no signature")
        # By identity: what the library looked at may have been another function meanwhile.
        for parameter in made.parameters.values():
            for value in (parameter.default, parameter.annotation):
                if not any(value is one for one in own):
                    _vet(obj, value)
        return made  # type: ignore[return-value]  # the library's own code makes one of `cls`


def _own_values(obj: Any, *, follow_wrapped: bool) -> Iterator[Any]:
    """The defaults and annotations of those functions behind `obj` that are the program's."""
    seen: list[Any] = []
    while not any(obj is one for one in seen):
        seen.append(obj)
        kind = exact_type(obj)
        if kind is types.MethodType:
            obj = obj.__func__
        elif kind is functools.partial:
            yield from (*obj.args, *obj.keywords.values())
            obj = obj.func
        elif is_class(obj) and is_own_class(obj):
            for name in ("__new__", "__init__"):
                maker = _held(obj, name)
                yield from _own_values(maker, follow_wrapped=follow_wrapped)
            return
        elif is_own_class(kind):
            obj = _held(kind, "__call__")
        elif kind is types.FunctionType and is_own_function(obj):
            yield from obj.__defaults__ or ()
            yield from (obj.__kwdefaults__ or {}).values()
            yield from obj.__annotations__.values()
            if not (follow_wrapped and "__wrapped__" in vars(obj)):
                return
            obj = obj.__wrapped__
        else:
            return


def _held(kind: type, name: str) -> Any:
    """What instances of `kind` have under `name`, as it is found in a class; None without it."""
    lineage: tuple[type, ...] = type.__getattribute__(kind, "__mro__")
    found: Any = next((vars(base)[name] for base in lineage if name in vars(base)), None)
    return found.__func__ if exact_type(found) is staticmethod else found


def _vet(obj: Any, value: Any) -> None:
    if value is inspect.Parameter.empty or value is _BY_FACTORY or is_own(value):
        return
    if is_class(value) and value in BASES:
        return
    kind: type = exact_type(value)
    if kind is tuple:
        for item in value:
            _vet(obj, item)
    elif kind not in loads.IMMUTABLE:
        name = getattr(obj, "__name__", type(obj).__name__)
        raise denied(f"signature({name})", "it belongs to the interpreter")


#: Stands in a dataclass's signature for a default that is made.
_BY_FACTORY: Final = vars(dataclasses)["_HAS_DEFAULT_FACTORY"]


def signature(obj: Any, *, follow_wrapped: bool = True, **options: Any) -> Signature:
    """As `inspect.signature`."""
    return Signature.from_callable(obj, follow_wrapped=follow_wrapped, **options)


def getmembers(value: Any, predicate: Callable[[Any], Any] | None = None) -> list[tuple[str, Any]]:
    """As `inspect.getmembers`, of the attributes that a program may read."""
    names = [name for name in dir(value) if type(name) is str and name not in _ACCESSORS]
    found = [
        (name, hooks.guarded_getattr(value, name))
        for name in names
        if hooks.guarded_hasattr(value, name)
    ]
    return [(name, held) for name, held in found if predicate is None or predicate(held)]


def getsource(value: Any) -> str:
    """As `inspect.getsource`, of the program's own functions and classes."""
    if not is_own(value) or not (is_class(value) or is_own_function(value)):
        raise OSError("could not get source code")
    return inspect.getsource(value)


def getsourcelines(value: Any) -> tuple[list[str], int]:
    """As `inspect.getsourcelines`, of the program's own functions and classes."""
    getsource(value)
    return inspect.getsourcelines(value)


def getmro(kind: Any) -> Any:
    """As `inspect.getmro`, of the program's own classes."""
    return loads.load(kind, "__mro__")


def get_annotations(value: Any, *, eval_str: bool = False, **_: Any) -> dict[str, Any]:
    """As `inspect.get_annotations`, of the program's own functions and classes."""
    if eval_str:
        raise denied(
            "get_annotations(eval_str=True)", "text must not become code", "get_type_hints"
        )
    held: dict[str, Any] = loads.load(value, "__annotations__")
    return held


def getfullargspec(function: Any) -> inspect.FullArgSpec:
    """As `inspect.getfullargspec`, by way of the checked signature."""
    bound = exact_type(function) is types.MethodType
    made = signature(function.__func__ if bound else function, follow_wrapped=False)
    of: dict[Any, list[inspect.Parameter]] = {}
    for parameter in made.parameters.values():
        of.setdefault(parameter.kind, []).append(parameter)
    kind, empty = inspect.Parameter, inspect.Parameter.empty
    positional = of.get(kind.POSITIONAL_ONLY, []) + of.get(kind.POSITIONAL_OR_KEYWORD, [])
    keyword = of.get(kind.KEYWORD_ONLY, [])
    annotations = {
        parameter.name: parameter.annotation
        for parameter in made.parameters.values()
        if parameter.annotation is not empty
    }
    if made.return_annotation is not empty:
        annotations = {"return": made.return_annotation, **annotations}
    return inspect.FullArgSpec(
        args=["self"] * is_class(function) + [one.name for one in positional],
        varargs=next((one.name for one in of.get(kind.VAR_POSITIONAL, [])), None),
        varkw=next((one.name for one in of.get(kind.VAR_KEYWORD, [])), None),
        defaults=tuple(one.default for one in positional if one.default is not empty) or None,
        kwonlyargs=[one.name for one in keyword],
        kwonlydefaults={one.name: one.default for one in keyword if one.default is not empty}
        or None,
        annotations=annotations,
    )


def getcallargs(function: Any, /, *positional: Any, **named: Any) -> dict[str, Any]:
    """As `inspect.getcallargs`, by way of the checked signature."""
    if exact_type(function) is types.MethodType:
        positional, function = (function.__self__, *positional), function.__func__
    bound = signature(function).bind(*positional, **named)
    bound.apply_defaults()
    return bound.arguments


def ismodule(value: Any) -> bool:
    """As `inspect.ismodule`: programs see views of modules."""
    return type(value) is View or inspect.ismodule(value)


def isclass(value: Any) -> bool:
    """As `inspect.isclass`."""
    return is_class(value)


def import_module(name: Any, package: Any = None) -> Any:
    """As `importlib.import_module`: the program's own import, by name."""
    if not isinstance(name, str) or name.startswith("."):
        raise ImportError("only modules of the table are imported by name")
    builtins: Any = vars(sys.modules[PROGRAM_MODULE])["__builtins__"]
    return builtins["__import__"](exact(name), None, None, ("*",))


#: Read through a check, these would look like functions of Python.
_ACCESSORS: Final = frozenset(
    words(
        "__getattribute__ __setattr__ __delattr__ __reduce__ __reduce_ex__ __getstate__",
        "__set__ __delete__",
    )
)

_QUESTIONS: Final = words(
    "isfunction ismethod isbuiltin isroutine isgenerator isgeneratorfunction iscoroutine",
    "iscoroutinefunction isawaitable isasyncgen isasyncgenfunction isabstract isdatadescriptor",
    "ismethoddescriptor isgetsetdescriptor ismemberdescriptor getdoc cleandoc Parameter",
    "BoundArguments FullArgSpec isframe iscode istraceback getgeneratorstate getcoroutinestate",
    "GEN_CREATED GEN_RUNNING GEN_SUSPENDED GEN_CLOSED",
    "CORO_CREATED CORO_RUNNING CORO_SUSPENDED CORO_CLOSED",
)

#: What programs know as `inspect`.
INSPECT: Final[Mapping[str, Any]] = {
    **{name: getattr(inspect, name) for name in _QUESTIONS},
    "Signature": Signature,
    "signature": signature,
    "getmembers": getmembers,
    "getsource": getsource,
    "getsourcelines": getsourcelines,
    "getmro": getmro,
    "getfullargspec": getfullargspec,
    "getcallargs": getcallargs,
    "get_annotations": get_annotations,
    "isclass": isclass,
    "ismodule": ismodule,
}
