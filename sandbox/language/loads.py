"""Reading an attribute whose verdict is `HOOK`: what its name means, with the object in hand.

The names with a meaning of their own are one table; any other is read of the program's own objects
alone. Must never hand out frames, code, modules or the real `type`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    FunctionType,
    MappingProxyType,
    MethodType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any, Final

from codemode.sandbox.language import accessors, attributes, formatting
from codemode.sandbox.language.giving import for_own, no_module, safe, unbound
from codemode.sandbox.language.ownership import (
    BASES,
    WRITABLE,
    exact_type,
    is_class,
    is_made,
    is_metaclass,
    is_of_package,
    is_own,
    is_own_class,
    is_own_code,
    is_own_function,
    is_writable,
)
from codemode.sandbox.language.refusals import denied, refuse_name
from codemode.sandbox.language.stand_ins import safe_type, shown_class
from codemode.sandbox.language.view import View, held


def load(value: Any, name: str) -> Any:
    """Read an attribute whose verdict is `HOOK`."""
    special = _LOADS.get(name)
    if special is not None:
        return special(value)
    kind = exact_type(value)
    if is_own(value) or kind is super or kind in WRITABLE or is_of_package(kind):
        found = safe(getattr(value, name), name)
        if type(found) is MethodType and is_metaclass(found.__self__):
            raise refuse_name(name)  # a method of the metaclass, bound to that
        return for_own(found) if _is_lent(value, name, found) else found
    if kind is View and name in held(value):
        return held(value)[name]
    raise refuse_name(name)


def _is_lent(value: Any, name: str, found: Any) -> bool:
    """Whether `found` is a method that a class of the program's has from the library, unbound."""
    if type(found) is not FunctionType or is_own_function(found):
        return False
    kind: Any = getattr(value, "__self_class__", None) if isinstance(value, super) else value
    if not is_class(kind):
        return False
    lineage: tuple[type, ...] = type.__getattribute__(kind, "__mro__")
    return any(
        vars(base).get(name) is found and not (is_own_class(base) or is_of_package(base))
        for base in lineage
    )


def _load_dict(value: Any) -> Any:
    if isinstance(value, type):
        if value is object:  # at the end of every walk along a lineage
            return MappingProxyType(dict.fromkeys(vars(object)))
        if not is_own_class(value):
            raise refuse_name("__dict__")
        hidden = {"__dict__", "__weakref__", "__annotations__", "__annotate_func__"}
        held = {k: v for k, v in vars(value).items() if k not in hidden}
        if "__dataclass_fields__" in held:
            held["__dataclass_fields__"] = dict(held["__dataclass_fields__"])
        return MappingProxyType(
            {k: unbound(v) if type(v) is FunctionType else v for k, v in held.items()}
        )
    if is_writable(value):
        return value.__dict__
    raise refuse_name("__dict__")


def _load_annotations(value: Any) -> Any:
    if exact_type(value) is FunctionType and is_own_function(value):
        return value.__annotations__
    if is_own(value):
        return dict(value.__annotations__)  # of a class: the library makes code of the names
    raise refuse_name("__annotations__")


def _load_fields(value: Any) -> Any:
    """`__dataclass_fields__`: a copy, since the library makes code of what it holds."""
    if is_own(value):
        return dict(value.__dataclass_fields__)
    raise refuse_name("__dataclass_fields__")


def _load_new(value: Any) -> Any:
    if isinstance(value, super) or (isinstance(value, type) and not issubclass(value, type)):
        return value.__new__
    raise refuse_name("__new__")


def _load_init(value: Any) -> Any:
    """`__init__`: the library's own make anew what they are called with."""
    found = value.__init__
    kind = exact_type(found)
    if kind is MethodType or kind is MethodWrapperType:
        subject = found.__self__
        if is_own(subject) or is_of_package(exact_type(subject)):
            return found
        raise refuse_name("__init__")
    if kind is WrapperDescriptorType or (kind is FunctionType and not is_own_function(found)):
        is_open = found is _NO_INIT or (is_class(value) and is_of_package(value))
        return found if is_open else for_own(found)
    return safe(found, "__init__")


#: What a class without an `__init__` has; programs compare it, and it does nothing.
_NO_INIT: Final[Any] = object.__init__


def _load_wrapped(value: Any) -> Any:
    if is_own_function(value):
        wrapped = value.__wrapped__
        if is_own(wrapped):
            return unbound(wrapped) if type(wrapped) is FunctionType else wrapped
    raise refuse_name("__wrapped__")


def _of_own_function(name: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if is_own(value) or is_own_code(value) or is_made(value):
            return getattr(value, name)
        raise refuse_name(name)  # a library function's default may be the real `getattr`

    return read


def _kind_of_values(name: str) -> Callable[[Any], Any]:
    """Attributes that hold a class: where it makes classes, the stand-in."""

    def read(value: Any) -> Any:
        return shown_class(getattr(value, name))

    return read


def _load_format(value: Any) -> Any:
    return formatting.method(value, "format")


def _load_format_map(value: Any) -> Any:
    return formatting.method(value, "format_map")


def _module_holder(name: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if name.startswith("_") and not (isinstance(value, super) or is_own(value)):
            raise refuse_name(name)
        start: Any = getattr(value, "__self_class__", None) if isinstance(value, super) else value
        kind: type = start if is_class(start) else exact_type(start)
        home = next((base for base in kind.__mro__ if name in vars(base)), None)
        if home is not None and not (is_own_class(home) or is_of_package(home)):
            raise refuse_name(name)
        return no_module(getattr(value, name), name)

    return read


def _of_own_class(name: str) -> Callable[[Any], Any]:
    """How one of the program's classes stands among others: those that it may name, and no more."""

    def read(value: Any) -> Any:
        if name == "mro" and (is_own(value) or is_of_package(exact_type(value))):
            found = getattr(value, name)
            if not (is_class(value) and type(found) is BuiltinFunctionType):
                return safe(found, name)
        if not is_class(value) or not is_own_class(value):
            raise refuse_name(name)
        if name == "__subclasses__":
            return lambda: [kind for kind in type.__subclasses__(value) if is_own_class(kind)]
        lineage: tuple[type, ...] = value.__mro__
        if not all(is_own_class(kind) or kind in BASES or is_of_package(kind) for kind in lineage):
            raise refuse_name(name)
        return (lambda: list(lineage)) if name == "mro" else getattr(value, name)

    return read


def _load_groupindex(value: Any) -> Any:
    """`groupindex` of a pattern: its proxy would lead to what all who use the pattern share."""
    found = value.groupindex
    if type(value) is re.Pattern:
        return MappingProxyType(dict(found))
    return no_module(found, "groupindex")


def _is_itself_alone(value: Any) -> bool:
    """Whether `value` is equal to itself alone, now and later, and asks nobody."""
    kind: Any = exact_type(value)
    if is_own_class(kind):
        return False
    # Methods are equal that are bound to the same.
    is_method = kind in (MethodType, BuiltinFunctionType)
    return value is None or is_method or kind.__eq__ is object.__eq__


def _load_remove_done_callback(value: Any) -> Any:
    """`remove_done_callback`: what it is given is compared with the callbacks of others."""
    found = value.remove_done_callback
    if is_own_code(found):
        return safe(found, "remove_done_callback")

    def remove(*arguments: Any) -> Any:
        if not all(map(_is_itself_alone, arguments[-1:])):
            raise denied(
                "removing this callback",
                "its class could compare it with those of others",
                "a function or a method",
            )
        return found(*arguments)

    return remove


def _load_obj(value: Any) -> Any:
    """`obj`: of an error or a memoryview it is whatever was behind it."""
    found = value.obj
    kind = exact_type(value)
    is_error = isinstance(value, AttributeError)
    if (
        (is_own(value) and not is_error)
        or kind in WRITABLE
        or is_of_package(kind)
        or is_own(found)
        or type(found) in (IMMUTABLE if is_error else DATA)
    ):
        return safe(found, "obj")
    raise refuse_name("obj")


def _load_self(value: Any) -> Any:
    found = value.__self__
    if isinstance(value, super) or is_own(value) or is_own(found) or type(found) in DATA:
        return safe(found, "__self__")
    raise refuse_name("__self__")


def _load_func(value: Any) -> Any:
    found = value.__func__
    if is_own(found):
        return unbound(found) if type(found) is FunctionType else found
    raise refuse_name("__func__")


#: Exact types of values that lead nowhere.
DATA: Final = frozenset(
    {
        type(None),
        bool,
        int,
        float,
        complex,
        str,
        bytes,
        bytearray,
        list,
        tuple,
        dict,
        set,
        frozenset,
    }
)

#: Those of them that nobody can change, and that hold nothing.
IMMUTABLE: Final = DATA - {bytearray, dict, frozenset, list, set, tuple}


_LOADS: Final[dict[str, Callable[[Any], Any]]] = {
    "__class__": safe_type,
    "__dict__": _load_dict,
    "__annotations__": _load_annotations,
    "__dataclass_fields__": _load_fields,
    "__init__": _load_init,
    "__new__": _load_new,
    "__wrapped__": _load_wrapped,
    **{
        name: accessors.own_only(name, of_classes=False)
        for name in ("__reduce__", "__reduce_ex__", "__getstate__")
    },
    **{
        name: accessors.own_only(name)
        for name in (
            "__getnewargs__",
            "__getnewargs_ex__",
            "__orig_bases__",
            "__orig_class__",
            "__dataclass_params__",
            "__set_name__",
        )
    },
    **{name: accessors.own_only(name, subject=1) for name in ("__set__", "__delete__")},
    "__setstate__": accessors.load_setstate,
    "__get__": accessors.load_get,
    **{name: _of_own_function(name) for name in ("__defaults__", "__kwdefaults__")},
    **{name: _kind_of_values(name) for name in ("__objclass__", "__origin__")},
    **{name: accessors.maker(name) for name in attributes.MAKERS},
    "__setattr__": accessors.checked_accessor("__setattr__"),
    "__delattr__": accessors.checked_accessor("__delattr__"),
    "__getattribute__": accessors.checked_accessor("__getattribute__"),
    "__getattr__": accessors.checked_accessor("__getattr__"),
    **{name: _of_own_class(name) for name in attributes.LINEAGE},
    "format": _load_format,
    "format_map": _load_format_map,
    "obj": _load_obj,
    "groupindex": _load_groupindex,
    "remove_done_callback": _load_remove_done_callback,
    **{name: _module_holder(name) for name in attributes.MODULE_HOLDERS},
    "__self__": _load_self,
    "__func__": _load_func,
}
