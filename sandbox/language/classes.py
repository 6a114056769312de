"""How programs make classes: the `class` statement, `type(name, bases, body)`, and `type` itself.

Bases are checked on the resolved classes, and special names against the list that the transformer
uses. Metaclasses are not for programs: one would see every attribute before the policy does.
"""

from __future__ import annotations

import abc
import builtins
import enum
import functools
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any, Final, NoReturn

from codemode.sandbox.language import attributes
from codemode.sandbox.language.ownership import (
    BASES,
    OWN,
    PROGRAM_MODULE,
    adopt,
    exact_type,
    is_class,
    is_of_package,
    is_own,
    is_own_class,
    is_writable,
    takes_none,
)
from codemode.sandbox.language.readonly import ReadOnly
from codemode.sandbox.language.refusals import denied
from codemode.sandbox.language.spelling import exact
from codemode.sandbox.language.stand_ins import STAND_INS, safe_type, shown_class
from codemode.sandbox.marks import override

_REAL_TYPE: Final = type
_set: Final = dict[str, Any].__setitem__


def build_class(body: FunctionType, name: str, /, *bases: Any, **keywords: Any) -> Any:
    """`__build_class__` within the policy.

    Raises:
        DeniedError: A base or a metaclass is not open to programs.
    """
    if bases:
        check_bases(bases)
    if "metaclass" in keywords:
        metaclass = keywords["metaclass"]
        if metaclass is Type:
            del keywords["metaclass"]
        elif type(metaclass) is _StandIn:
            keywords["metaclass"] = _real(metaclass)
        else:
            raise denied(
                f"metaclass {getattr(metaclass, '__name__', metaclass)!r}",
                "a metaclass could change how the policy sees a class",
                "a class decorator, or __set_name__",
            )
    # `__set_name__` sees the class before there is time to look at it: the body is run first, and
    # vetted.
    kind: Any
    kind, namespace, keywords = types.prepare_class(name, types.resolve_bases(bases), keywords)
    bases, namespace = builtins.__build_class__(
        body, name, *bases, metaclass=_Body(namespace), **keywords
    )
    vet_body(kind, bases, namespace)
    made = kind(name, bases, namespace, **keywords)
    _settle(made)
    return made


def _settle(made: Any) -> None:
    check_match_args(made)
    adopt(made)


def _check_maker(lineage: Iterable[type], namespace: dict[str, Any]) -> None:
    """Have the library be given objects of the program's where it makes one, and fills it.

    A `__new__` of the program's may give anything.
    """
    above = [base for base in lineage if base is not object]
    if all(map(is_own_class, above)):
        return
    found = namespace.get("__new__")
    if found is None:
        home = next((base for base in above if "__new__" in vars(base)), None)
        if home is None or not is_own_class(home):
            return
        found = vars(home)["__new__"]
    _set(namespace, "__new__", staticmethod(_checked_maker(found)))


def _checked_maker(held: Any) -> Callable[..., Any]:
    is_plain = exact_type(held) is FunctionType
    bind: Any = None if is_plain else getattr(exact_type(held), "__get__", None)

    def make(cls: Any, /, *arguments: Any, **keywords: Any) -> Any:
        function = held if bind is None else bind(held, None, cls)
        new = function(cls, *arguments, **keywords)
        if not (takes_none(new) or is_writable(new)):
            raise denied(
                f"__new__ that gives {exact_type(new).__name__!r}",
                "the library would fill what it gives",
                "an object of the class",
            )
        return new

    if is_plain:  # else it would be asked for attributes, and may be anything
        functools.update_wrapper(make, held)
    return make


class _Body:
    """Stands for the metaclass while the body of a class runs, and gives what the body bound."""

    __slots__ = ("_namespace",)

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace

    def __prepare__(self, /, *_: Any, **__: Any) -> dict[str, Any]:
        return self._namespace

    def __call__(
        self, _: str, bases: tuple[Any, ...], namespace: dict[str, Any], /, **__: Any
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return bases, namespace


def vet_body(kind: type, bases: Iterable[Any], namespace: dict[str, Any]) -> None:
    """Make what a class body bound safe to be seen in a class of that `kind`, in place.

    Raises:
        DeniedError: It has a `__subclasshook__` or its like that is no function, or positional
            patterns would read more than open attributes.
    """
    _shield_hooks(namespace)
    lineage = [base for heir in bases for base in _mro(heir)]
    if kind is not enum.EnumMeta:  # enums look after their members themselves
        _check_maker(lineage, namespace)
    if "__match_args__" not in namespace and not any(
        "__match_args__" in vars(base) for base in lineage
    ):
        return
    _check_positions([namespace, *map(vars, lineage)], lineage)
    if kind is not _REAL_TYPE:
        _shorten(namespace, [namespace, *map(vars, lineage)])


def vet_body_of(
    bases: tuple[Any, ...], namespace: dict[str, Any], metaclass: type = _REAL_TYPE
) -> None:
    """`vet_body` for a class that is not made here: its bases say of which kind it will be."""
    resolved = types.resolve_bases(bases)
    kind, _, _ = types.prepare_class("", resolved, {"metaclass": metaclass})
    vet_body(kind, resolved, namespace)


def _mro(kind: Any) -> tuple[type, ...]:
    return _REAL_TYPE.__getattribute__(kind, "__mro__") if is_class(kind) else ()


def check_match_args(made: Any) -> None:
    """Refuse a class whose positional patterns would read more than open attributes.

    The names may come from fields, which the transformer does not see.
    """
    if not is_class(made):
        return
    lineage = _mro(made)
    if _REAL_TYPE(made) is not _REAL_TYPE:
        found: dict[str, Any] = {}
        _shorten(found, list(map(vars, lineage)))
        if found:
            _REAL_TYPE.__setattr__(made, "__match_args__", found["__match_args__"])
    _check_positions(list(map(vars, lineage)), lineage)


def _check_positions(namespaces: Iterable[Mapping[str, Any]], lineage: Collection[type]) -> None:
    # Inherited ones too: a pattern of a base takes apart what else an heir inherits.
    for name in [name for held in namespaces for name in held.get("__match_args__", ())]:
        if (
            type(name) is not str
            or attributes.is_dunder(name)
            or name in attributes.INTERNALS | attributes.LINEAGE
            or name in attributes.MAKERS
            or is_of_others(name, lineage)
            or any(isinstance(held.get(name), ModuleType) for held in namespaces)
        ):
            raise denied(
                f"{name!r} in __match_args__",
                "a pattern would read it unchecked",
                "another name for the field, or a pattern without positions",
            )


def _shield_hooks(namespace: dict[str, Any]) -> None:
    """Classes are asked about any class, an abstract one by these names: about `type` as it shows.

    Raises:
        DeniedError: One of them is no function.
    """
    for name in attributes.ASKED.intersection(namespace):
        # Past the namespace of an enum, which would judge the name once more.
        _set(namespace, name, _shielded(name, namespace[name]))


def _shielded(name: str, hook: Any) -> Any:
    if hook is None:
        return hook
    kind: Any = exact_type(hook)
    is_wrapped = kind in _WRAPPED
    function = hook.__func__ if is_wrapped else hook
    if exact_type(function) is not FunctionType:
        raise denied(f"this {name}", "it is no function", "a class method")

    def asked(*arguments: Any) -> Any:
        return function(*map(shown_class, arguments))

    functools.update_wrapper(asked, function)
    return kind(asked) if is_wrapped else asked


_WRAPPED: Final[tuple[Any, ...]] = (classmethod, staticmethod)


def _shorten(namespace: dict[str, Any], namespaces: Iterable[Mapping[str, Any]]) -> None:
    """An abstract class claims any object as its own: it has no positions for such names."""
    names = next((held["__match_args__"] for held in namespaces if "__match_args__" in held), ())
    for index, name in enumerate(names):
        if name in attributes.ALWAYS_HOOKED:
            _set(namespace, "__match_args__", tuple(names[:index]))
            return


def is_of_others(name: str, lineage: Iterable[type]) -> bool:
    """Whether reading `name` unchecked may give what a class that is not the program's has."""
    return name in attributes.ALWAYS_HOOKED and any(
        name in vars(base) and not is_own_class(base) for base in lineage
    )


def check_bases(bases: Iterable[Any]) -> None:
    """Refuse bases that are neither the program's own nor open to inheritance."""
    for base in bases:
        if is_class(base) and base in OWN:
            continue
        if not is_class(base) and not _names_bases(base):
            raise denied(
                f"base {type(base).__name__!r} object", "only classes can be inherited from"
            )
        resolved: Any
        for resolved in types.resolve_bases((base,)):
            if not is_class(resolved):
                raise TypeError(f"bases must be types, not {type(resolved).__name__!r}")
            if issubclass(resolved, _REAL_TYPE) or resolved is Type:
                raise denied(
                    f"base class {resolved.__name__!r}",
                    "metaclasses are not open to programs",
                    "a class decorator, or __set_name__",
                )
            if is_own_class(resolved) or is_of_package(resolved):
                continue
            if resolved not in BASES or _passes_attributes_on(resolved):
                raise denied(
                    f"base class {resolved.__name__!r}",
                    "it belongs to the interpreter's inside",
                    "an object of it as an attribute",
                )


def _names_bases(base: Any) -> bool:
    """Whether `base` stands for classes by a `__mro_entries__` that no program can have set.

    It is asked for them twice, and must not answer differently when the class is made.
    """
    kind = exact_type(base)
    if kind is FunctionType:  # as `typing.NamedTuple` does
        return not is_own(base)
    return not is_own_class(kind) and any("__mro_entries__" in vars(one) for one in kind.__mro__)


def _passes_attributes_on(kind: type) -> bool:
    """Whether instances answer with the attributes, private ones too, of another object."""
    return any(
        type(vars(base).get(name)) is FunctionType
        for base in kind.__mro__
        for name in ("__getattr__", "__getattribute__")
    )


def check_body(body: dict[Any, Any]) -> None:
    """Refuse special names that a class body could not bind either; names in it become copies."""
    for name, value in body.items():
        if type(name) is not str:
            raise TypeError(f"names in a class body must be str, not {type(name).__name__!r}")
        if name == "__slots__":
            body[name] = checked_slots(value)
        elif name in ("__match_args__", "__annotations__"):
            kind = exact_type(value)
            if issubclass(kind, dict):
                body[name] = dict(value.items())
            elif not issubclass(kind, str):
                body[name] = tuple(value)
            check_field_names(name, body[name])
        elif attributes.is_dunder(name) and not (
            attributes.is_definable(name) or name in {"__doc__", "__module__", "__qualname__"}
        ):
            raise denied(f"special name {name!r} in a class body", *attributes.explain(name))


def checked_slots(names: Any) -> Any:
    """A copy of the value that a class body gives to `__slots__`, if it names no special ones.

    One that nobody can change: the class is not made yet, and its body goes on.
    """
    kind = exact_type(names)
    if issubclass(kind, str):
        copied: Any = exact(names)
    elif issubclass(kind, dict):
        copied = ReadOnly({exact(name): text for name, text in names.items()})
    else:
        copied = tuple(map(exact, names))
    for name in (copied,) if type(copied) is str else copied:
        if name not in attributes.EVERYDAY_SLOTS:
            check_field_names("__slots__", name)
    return copied


def check_field_names(where: str, names: Any) -> None:
    """Refuse names of slots, positional patterns or fields that are not plain identifiers."""
    for name in (names,) if isinstance(names, str) else names:
        if type(name) is not str or not name.isidentifier() or not attributes.is_open(name):
            raise denied(
                f"{name!r} in {where}",
                "it must name a public or private attribute",
                "a name without double underscores",
            )


class _StandIn(type):
    """Makes a class behave like the one that it stands for, wherever a program can look.

    Unions and aliases are made of the stand-in: their arguments give it back.
    """

    @override
    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        if (real := _real(cls)) in _BINDING:
            return real(*map(bindable, arguments[:1]), *arguments[1:], **keywords)
        if len(arguments) == 1 and not keywords and cls is Type:
            return safe_type(arguments[0])
        if len(arguments) != 3 and cls is Type:
            raise TypeError("type() takes 1 or 3 arguments")
        return make_class(real, *arguments, **keywords)

    @override
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _real(cls))

    @override
    def __subclasscheck__(cls, subclass: Any) -> bool:
        real = _real(subclass) if type(subclass) is _StandIn else subclass
        return issubclass(real, _real(cls))

    @override
    def __eq__(cls, other: Any) -> bool:
        return other is cls or other is _real(cls)

    @override
    def __hash__(cls) -> int:
        return hash(_real(cls))

    @override
    def __repr__(cls) -> str:
        return repr(_real(cls))


def _stand_in(real: type) -> Any:
    """A stand-in for `real`."""

    def no_heirs(_: Any, /, **__: Any) -> NoReturn:
        raise denied(f"base class {real.__name__!r}", "it belongs to the interpreter's inside")

    body: dict[str, Any] = {
        "__slots__": (),
        "__module__": real.__module__,
        "__doc__": real.__doc__,
        "__init_subclass__": classmethod(no_heirs),
        "__class_getitem__": classmethod(types.GenericAlias),
    }
    made = _StandIn(real.__name__, (), body)
    STAND_INS[real] = made
    return made


#: What programs know as `type`: it tells classes, and makes vetted ones.
Type: Final = _stand_in(_REAL_TYPE)
for _class in (abc.ABCMeta, enum.EnumMeta, types.MethodType, classmethod):
    _stand_in(_class)


def _real(stand_in: Any) -> Any:
    """The class behind a stand-in; no attribute, which programs could read.

    Of an heir that was refused, and that nobody has let go of yet, it is `type`.
    """
    return next((real for real, other in STAND_INS.items() if other is stand_in), _REAL_TYPE)


def bindable(function: Any) -> Any:
    """What a method is made of for `function`: methods are equal if their functions are.

    An object of the program's would be asked, and be given the plain function of the other method:
    one that can be called is called by something that is equal to itself alone.
    """
    if is_class(function) or exact_type(function) in _BINDABLE:
        return function
    if not callable(function):
        raise TypeError("first argument must be callable")
    return functools.partial(function)


_BINDABLE: Final[frozenset[type]] = frozenset(
    {
        FunctionType,
        types.BuiltinFunctionType,
        types.ClassMethodDescriptorType,
        types.MethodDescriptorType,
        types.MethodType,
        types.MethodWrapperType,
        types.WrapperDescriptorType,
        functools.cached_property,
        functools.partial,
        functools.partialmethod,
        functools.singledispatchmethod,
        type(functools.lru_cache(abs)),
        classmethod,
        property,
        staticmethod,
    }
)


#: What makes methods.
_BINDING: Final[frozenset[type]] = frozenset({types.MethodType, classmethod})


def make_class(kind: Any, name: object, bases: Any, body: Any, /, **keywords: Any) -> Any:
    """`type(name, bases, body)` within the policy."""
    if not issubclass(_REAL_TYPE(bases), tuple) or not issubclass(_REAL_TYPE(body), dict):
        raise TypeError("type() takes 1 or 3 arguments: name, a tuple of bases, a dict")
    bases = tuple(bases)  # an heir of `tuple` could show others than it holds
    check_bases(bases)
    namespace: dict[Any, Any] = dict(body.items())
    check_body(namespace)
    namespace["__module__"] = PROGRAM_MODULE
    if "metaclass" in keywords:
        raise denied("metaclass", "metaclasses are not open to programs", "a class decorator")
    if kind is not _REAL_TYPE:
        keywords["metaclass"] = kind

    def fill(target: Any) -> None:
        for key, value in namespace.items():
            target[key] = value  # an enum's namespace looks at each item

    vet_body_of(bases, namespace, kind)
    made = types.new_class(exact(name), bases, keywords, fill)
    _settle(made)
    return made


def own_super(kind: Any, instance: Any, /) -> Any:
    """`super(kind, instance)`: only from a class of the program's own upwards."""
    if not is_class(kind):
        raise TypeError(f"super() argument 1 must be a type, not {_REAL_TYPE(kind).__name__}")
    if not is_own_class(kind):
        raise denied(
            "super() of a foreign class", "it would pass over that class's own checks", "super()"
        )
    make: Callable[..., Any] = super
    return make(kind, instance)


STAND_INS[super] = own_super


def own_classes_only(decorator: Callable[..., Any]) -> Callable[..., Any]:
    """Let a class decorator of the standard library touch only the program's classes."""

    def decorate(cls: Any, /) -> Any:
        if isinstance(cls, _REAL_TYPE) and not is_own_class(cls):
            raise denied(f"decorating {cls.__name__!r}", "it belongs to the interpreter")
        return decorator(cls)

    decorate.__name__ = decorate.__qualname__ = decorator.__name__
    decorate.__doc__ = decorator.__doc__
    return decorate
