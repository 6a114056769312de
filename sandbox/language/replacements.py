"""Open versions of library functions whose own would take a name or an object unchecked.

Each has the contract of the original for honest use. Where other library code must see the check
too, `hardening` replaces the original instead.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import importlib
import os
import reprlib
import sys
import types
import typing
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, cast
from xml.dom import minidom

from codemode.sandbox.language import attributes, doctests, hooks
from codemode.sandbox.language.classes import (
    check_bases,
    check_body,
    check_match_args,
    is_of_others,
    own_classes_only,
    vet_body_of,
)
from codemode.sandbox.language.hardened import caches
from codemode.sandbox.language.inspecting import INSPECT, import_module
from codemode.sandbox.language.ownership import (
    PROGRAM_MODULE,
    adopt,
    exact_type,
    is_class,
    is_foreign_function,
    is_own,
    is_own_class,
    is_own_function,
)
from codemode.sandbox.language.refusals import DeniedError, denied
from codemode.sandbox.language.spelling import exact
from codemode.sandbox.language.stand_ins import shown_class
from codemode.sandbox.language.stores import check_store, writable_inside
from codemode.sandbox.language.testing import UNITTEST
from codemode.sandbox.language.timing import TIMEIT
from codemode.sandbox.language.trees import TREES

_ASSIGNED: Final = functools.WRAPPER_ASSIGNMENTS
#: What a class may be given of it: by its module and its annotations the library makes code.
_OF_CLASSES: Final = frozenset({"__name__", "__qualname__", "__doc__"})
_UPDATED: Final = functools.WRAPPER_UPDATES


def attrgetter(*names: Any) -> Callable[[Any], Any]:
    """`operator.attrgetter` within the policy."""
    if not names:
        raise TypeError("attrgetter expected at least 1 argument, got 0")
    chains = [exact(name).split(".") for name in names]

    def follow(value: Any, chain: list[str]) -> Any:
        return functools.reduce(hooks.guarded_getattr, chain, value)

    if len(chains) == 1:
        return lambda value, /: follow(value, chains[0])
    return lambda value, /: tuple(follow(value, chain) for chain in chains)


def methodcaller(name: Any, /, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    """`operator.methodcaller` within the policy."""
    method = exact(name)
    return lambda value, /: hooks.guarded_getattr(value, method)(*args, **kwargs)


def update_wrapper(
    wrapper: Any, wrapped: Any, assigned: Any = _ASSIGNED, updated: Any = _UPDATED
) -> Any:
    """`functools.update_wrapper` on the program's own objects, for the usual attributes."""
    assigned, updated = map(exact, assigned), map(exact, updated)
    writable_inside(wrapper)
    usual: list[Any] = []
    for name in assigned:
        if name in _ASSIGNED:
            if name in _OF_CLASSES or not is_class(wrapper):
                usual.append(name)
            continue
        check_store(wrapper, name)
        try:
            value = hooks.guarded_getattr(wrapped, name)
        except DeniedError:
            raise
        except AttributeError:
            continue
        hooks.guarded_setattr(wrapper, name, value)
    for name in updated:
        # The `__dict__` of a library object would be its private attributes.
        if name not in _UPDATED or is_own(wrapped):
            held = hooks.guarded_getattr(wrapped, name, {})
            hooks.guarded_getattr(wrapper, name).update(held)
    made: Any = functools.update_wrapper(wrapper, wrapped, usual, ())
    if "__annotations__" in usual:
        theirs: Any = getattr(wrapped, "__annotations__", None)
        is_shared = theirs is not None and getattr(made, "__annotations__", None) is theirs
        if is_shared:
            made.__annotations__ = dict(cast("dict[str, Any]", theirs))
    return made


def wraps(wrapped: Any, assigned: Any = _ASSIGNED, updated: Any = _UPDATED) -> Callable[[Any], Any]:
    """`functools.wraps` on the program's own functions."""
    return lambda wrapper: update_wrapper(wrapper, wrapped, assigned, updated)


def make_dataclass(
    cls_name: Any, fields: Iterable[Any], *, bases: Any = (), namespace: Any = None, **options: Any
) -> Any:
    """`dataclasses.make_dataclass` with checked names, bases and namespace."""
    checked: list[Any] = []
    for item in fields:
        parts = (item,) if isinstance(item, str) else tuple(item)
        name = exact(parts[0])
        if not name.isidentifier() or name.startswith("__"):
            raise TypeError(f"Field names must be valid identifiers: {name!r}")
        checked.append((name, *parts[1:]) if len(parts) > 1 else name)
    options.pop("module", None)
    options.pop("decorator", None)  # since 3.14
    options = {name: bool(value) for name, value in options.items()}
    bases = tuple(bases)
    check_bases(bases)
    names = [item if type(item) is str else item[0] for item in checked]
    lineage = [base for kind in types.resolve_bases(bases) for base in type.mro(kind)]
    _check_field_names((*names, *_field_names(lineage)), lineage)
    body = dict(namespace or {})
    check_body(body)
    vet_body_of(bases, body)
    body["__module__"] = PROGRAM_MODULE
    is_withheld = "__match_args__" not in body and _is_claiming(lineage, names, options)
    if is_withheld:
        body["__match_args__"] = ()
    if sys.version_info >= (3, 12):
        options["module"] = PROGRAM_MODULE
    made = dataclasses.make_dataclass(
        exact(cls_name), checked, bases=bases, namespace=body, **options
    )
    if is_withheld:
        _give_positions(made)
    check_match_args(made)
    adopt(made)
    return made


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """`dataclasses.dataclass` for the program's own classes."""
    # Asked once: what they answer, and do meanwhile, is the program's.
    options = {name: bool(value) for name, value in options.items()}

    def decorate(own: Any) -> Any:
        check_fields(own)
        is_withheld = False
        if is_class(own) and is_own_class(own) and "__match_args__" not in vars(own):
            lineage = type.mro(own)
            is_withheld = _is_claiming(lineage, _field_names(lineage), options)
            if is_withheld:
                type.__setattr__(own, "__match_args__", ())
        made: Any = own_classes_only(dataclasses.dataclass(**options))(own)
        if is_withheld:
            _give_positions(made)
        check_match_args(made)
        adopt(made)
        return made

    return decorate if cls is None else decorate(cls)


def check_fields(own: Any) -> None:
    """Refuse fields, inherited ones too, by whose names generated code would read too much."""
    if is_class(own):
        lineage = type.mro(own)
        _check_field_names(_field_names(lineage), lineage)


def _field_names(lineage: Iterable[type]) -> list[Any]:
    names: list[Any] = []
    for base in lineage:
        fields: Mapping[Any, Any] = vars(base).get("__dataclass_fields__", {})
        if exact_type(fields) is not dict:
            raise denied("these fields of a dataclass", "they are none that the library has made")
        for key, field in fields.items():
            if type(key) is not str or type(field) is not dataclasses.Field:
                raise denied("this field of a dataclass", "it is none that the library has made")
            names += (key, field.name)
        names += _annotated(base)
    return names


def _annotated(kind: type) -> Iterable[Any]:
    """The names that the body of a class annotates, as `dataclasses` will see them."""
    if sys.version_info >= (3, 14):
        if not is_own_class(kind):
            return ()  # such a one has its fields already
        library: Any = importlib.import_module("annotationlib")
        return tuple(library.get_annotations(kind, format=library.Format.FORWARDREF))
    found: Iterable[Any] = vars(kind).get("__annotations__", ())
    return found


def _check_field_names(names: Iterable[Any], lineage: list[type]) -> None:
    for name in names:
        if not attributes.names_field(name) or is_of_others(name, lineage):
            raise denied(
                f"{name!r} as the name of a field",
                "generated code would read it unchecked",
                "another name for the field",
            )


def _is_claiming(lineage: Iterable[type], names: Iterable[Any], options: Mapping[str, Any]) -> bool:
    """Whether a class that claims any object as its own would be seen before it was looked at.

    The library gives it positions, and then asks what it holds: one with slots, which is made
    twice, by `__set_name__`, any by whether it is abstract. Meanwhile it has none.
    """
    is_abstract = any(type(base) is not type for base in lineage)
    has_positions = bool(options.get("match_args", True))
    return is_abstract and has_positions and not attributes.ALWAYS_HOOKED.isdisjoint(names)


def _give_positions(made: Any) -> None:
    """The positions that `dataclass` gives, as far as they are open."""
    names: list[str] = []
    for field in cast("dict[str, Any]", made.__dataclass_fields__).values():
        kind = getattr(field, "_field_type")  # noqa: B009  # not in the stubs
        if kind is _OF_CLASS or field.kw_only or not field.init:
            continue
        if field.name in attributes.ALWAYS_HOOKED:
            break
        names.append(field.name)
    type.__setattr__(made, "__match_args__", tuple(names))


#: How the library marks what is a variable of the class and no field.
_OF_CLASS: Final = vars(dataclasses)["_FIELD_CLASSVAR"]


def get_origin(alias: Any) -> Any:
    """`typing.get_origin`, which gives the stand-in where it would give `type`."""
    return shown_class(typing.get_origin(alias))


def get_type_hints(
    obj: Any, globalns: Any = None, localns: Any = None, include_extras: bool = False
) -> dict[str, Any]:
    """`typing.get_type_hints` of what is the program's own."""
    function = obj.__func__ if type(obj) is types.MethodType else obj
    if not is_own(function):
        kind = getattr(obj, "__name__", type(obj).__name__)
        raise denied(f"get_type_hints({kind})", "it belongs to the interpreter")
    return typing.get_type_hints(obj, globalns, localns, include_extras)


def marking(decorator: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A decorator that sets an attribute of what it is given: of no function of others."""

    @functools.wraps(decorator)
    def mark(value: Any, /) -> Any:
        return value if is_foreign_function(value) else decorator(value)

    return mark


def dataclass_transform(**options: Any) -> Callable[[Any], Any]:
    """`typing.dataclass_transform`, which marks what it decorates."""
    return marking(typing.dataclass_transform(**options))


def no_type_check(value: Any) -> Any:
    """`typing.no_type_check`, which marks its argument: only the program's own."""
    return typing.no_type_check(writable_inside(value))


def coroutine(function: Any) -> Any:
    """`types.coroutine`, which changes a function's code: only the program's own functions."""
    if not is_own_function(function):
        raise denied("types.coroutine", "only functions of the program can be made coroutines")
    return types.coroutine(function)


class Uname(NamedTuple):
    """`platform.uname()`: the library's own asks the kernel, and a process for the last field."""

    system: str = "Linux"
    node: str = "sandbox"
    release: str = ""
    version: str = ""
    machine: str = os.uname().machine
    processor: str = ""


Uname.__name__ = Uname.__qualname__ = "uname_result"
_UNAME: Final = Uname()


def _says(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


#: What programs know of the machine: no more than `os.uname()` tells them.
_PLATFORM: Final[Mapping[str, Callable[..., Any]]] = {
    "uname": _says(_UNAME),
    **{name: _says(value) for name, value in _UNAME._asdict().items()},
    "platform": _says(f"Linux-{_UNAME.machine}"),
    "architecture": _says(("64bit", "")),
}

#: One of the program's own, which it may change: the library's errors are not shown by it.
_SHORT: Final = reprlib.Repr()


def minidom_parse(file: Any, bufsize: int | None = None) -> Any:
    """`xml.dom.minidom.parse` with the library's own parser."""
    return minidom.parse(file, bufsize=bufsize)  # noqa: S318 - its own XML, in its own process


def minidom_parse_string(string: Any) -> Any:
    """`xml.dom.minidom.parseString` with the library's own parser."""
    return minidom.parseString(string)  # noqa: S318 - as above


def _deprecated() -> dict[str, Any]:
    """`warnings.deprecated`, since 3.13, which changes the class that it decorates."""
    real: Any = getattr(warnings, "deprecated", None)
    if real is None:
        return {}

    def deprecated(message: Any, /, **options: Any) -> Callable[[Any], Any]:
        decorate = real(message, **options)
        return lambda value: decorate(writable_inside(value))

    return {"deprecated": deprecated}


def _override() -> dict[str, Any]:
    """`typing.override`, since 3.12, which marks its argument."""
    real: Any = getattr(typing, "override", None)
    return {} if real is None else {"override": marking(real)}


REPLACEMENTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "abc": {"abstractmethod": marking(abc.abstractmethod)},
    "ast": TREES,
    "calendar": {"January": 1, "February": 2},  # reading the library's own warns since 3.12
    "mimetypes": {"init": _says(None)},  # the library's own would read the machine's files
    "operator": {"attrgetter": attrgetter, "methodcaller": methodcaller},
    "functools": {
        "update_wrapper": update_wrapper,
        "wraps": wraps,
        "lru_cache": caches.lru_cache,
        "total_ordering": own_classes_only(functools.total_ordering),
    },
    "dataclasses": {"dataclass": dataclass, "make_dataclass": make_dataclass},
    "doctest": {
        "testmod": doctests.testmod,
        "run_docstring_examples": doctests.run_docstring_examples,
        "TestResults": doctests.TestResults,
        **doctests.OPTIONS,
    },
    "importlib": {"import_module": import_module},
    "inspect": INSPECT,
    "enum": {"unique": own_classes_only(enum.unique)},
    "platform": _PLATFORM,
    "reprlib": {"aRepr": _SHORT, "repr": _SHORT.repr},
    "timeit": TIMEIT,
    "types": {"coroutine": coroutine},
    "unittest": UNITTEST,
    "warnings": _deprecated(),
    "xml.dom.minidom": {"parse": minidom_parse, "parseString": minidom_parse_string},
    "typing": {
        "dataclass_transform": dataclass_transform,
        "final": marking(typing.final),
        **_override(),
        "no_type_check": no_type_check,
        "get_origin": get_origin,
        "get_type_hints": get_type_hints,
        "runtime_checkable": own_classes_only(typing.runtime_checkable),
    },
}
