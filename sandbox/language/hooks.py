"""What compiled programs call where the syntax tree alone cannot decide.

`getattr` and its kin, the check before an attribute is stored, formatting by string. Each function
takes the verdict on the name from `attributes` and adds what the object says. They raise
`DeniedError` and must never hand out frames, code, modules or the real `type`.
"""

from __future__ import annotations

import ast
import functools
import sys
from asyncio.exceptions import CancelledError  # noqa: TID251 - programs run on it
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    FunctionType,
    MappingProxyType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final, cast

from codemode.sandbox.language import attributes, formatting
from codemode.sandbox.language.attributes import NAMES, Verdict
from codemode.sandbox.language.ownership import (
    BASES,
    UNCHECKED,
    WRITABLE,
    exact_type,
    is_class,
    is_of_package,
    is_own,
    is_own_class,
    is_own_function,
    is_settable,
    is_writable,
    takes_none,
)
from codemode.sandbox.language.refusals import denied
from codemode.sandbox.language.view import View, held
from codemode.sandbox.marks import override

_MISSING: Final = object()


def exact(name: object) -> str:
    """`name` as an exact `str`: a subclass could answer differently each time."""
    if type(name) is str:
        return name
    if isinstance(name, str):
        return str.__str__(name)
    raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")


def refuse_name(name: str) -> Exception:
    """The error for an attribute name that no object may be asked for."""
    return denied(f"attribute {name!r}", *attributes.explain(name))


def guarded_getattr(
    value: Any = _MISSING,
    name: object = _MISSING,
    default: Any = _MISSING,
    /,
    *more: Any,
    **named: Any,
) -> Any:
    """`getattr` within the policy."""
    if name is _MISSING or more or named:
        given = [item for item in (value, name, default) if item is not _MISSING]
        native: Callable[..., Any] = getattr
        return native(*given, *more, **named)  # for its own message
    name = exact(name)
    verdict = NAMES.load(name)
    if verdict is Verdict.REFUSED:
        raise refuse_name(name)
    if verdict is Verdict.HOOK:
        if default is _MISSING:
            return load(value, name)
        try:
            return load(value, name)
        except AttributeError:
            return default
    found = getattr(value, name) if default is _MISSING else getattr(value, name, default)
    return unbound(found) if type(found) is FunctionType else found


def unbound(function: Any) -> Any:
    """`function`, with a check in front if it trusts its first parameter; see `methods`."""
    code = function.__code__
    if (code.co_name, code.co_firstlineno) not in UNCHECKED or not is_own_function(function):
        return function

    @functools.wraps(function)
    def checked(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return function(writable_own(self), *args, **kwargs)

    return checked


def writable_own(value: Any) -> Any:
    """Give back `value` if it is the program's own."""
    if not is_own(value):
        raise denied(
            f"a method called with {type(value).__name__!r} as its self",
            "the method belongs to a class of the program",
        )
    return value


def guarded_hasattr(value: Any, name: object, /) -> bool:
    """`hasattr` within the policy; what is refused is not there."""
    try:
        guarded_getattr(value, name)
    except AttributeError:
        return False
    return True


def guarded_setattr(value: Any, name: object, new: Any, /) -> None:
    """`setattr` within the policy."""
    name = exact(name)
    check_store(value, name)
    setattr(value, name, new)


def guarded_delattr(value: Any, name: object, /) -> None:
    """`delattr` within the policy."""
    name = exact(name)
    check_store(value, name)
    delattr(value, name)


def check_store(value: Any, name: str) -> None:
    """Refuse a store to a name or an object that is not the program's to change."""
    if attributes.decide(name, store=True) is Verdict.REFUSED:
        raise denied(f"setting {name!r}", *attributes.explain(name))
    (writable_inside if name.startswith("_") else writable)(value)


def writable(value: Any) -> Any:
    """Give back `value` if its public attributes may be set; the hook in front of a store."""
    # A view refuses by itself, and what takes no attribute at all says so as in plain Python.
    if type(value) is not View and not is_settable(value) and not takes_none(value):
        raise _not_its_own(value)
    return value


def writable_inside(value: Any) -> Any:
    """Give back `value` if private attributes too may be set."""
    if type(value) is not View and not is_writable(value):
        raise _not_its_own(value)
    return value


def _not_its_own(value: Any) -> Exception:
    kind = value.__name__ if isinstance(value, type) else type(value).__name__
    return denied(
        f"setting attributes of {kind!r}",
        "it belongs to the interpreter, not to the program",
        "a class of your own, or a dict",
    )


def changeable(value: Any) -> Any:
    """Give back `value` if it may be written past its own `__setattr__`."""
    if type(value) is View:
        raise denied("setting attributes of a module", "modules are read-only")
    return writable_inside(value)


class Subjects(type):
    """Says which objects class patterns may take apart by position."""

    @override
    def __instancecheck__(cls, subject: object) -> bool:
        """Whether reading attributes of `subject` by text can lead nowhere."""
        kind = exact_type(subject)
        return is_own_class(kind) or is_of_package(kind) or issubclass(kind, _TAKEN_APART)


class Gate(int, metaclass=Subjects):
    """The class pattern `Gate(inner)`: the subject itself goes on to `inner`, if it may.

    The interpreter matches subclasses of `int` so. A class pattern by position reads attributes
    named in `__match_args__`, of whatever object an abstract class claims as its own.
    """


def check_group() -> None:
    """Refuse what `except*` may not match: the interpreter would call a `split` of the program's.

    Raises:
        DeniedError: The error being handled is no group, or no plain one.
    """
    error = sys.exc_info()[1]
    if isinstance(error, (SystemExit, GeneratorExit, CancelledError)):
        return
    if type(error) not in (ExceptionGroup, BaseExceptionGroup) or "split" in vars(error):
        raise denied(
            f"except* for {type(error).__name__}", "it is for plain groups of errors only", "except"
        ) from error


def trace_of(error: Any) -> Any:
    """The traceback of an error, for a function that shows it; a program can read no more of it."""
    if not issubclass(exact_type(error), BaseException):
        raise refuse_name("__traceback__")
    return error.__traceback__


def line_of(error: Any) -> int:
    """`error.__traceback__.tb_lineno`: the line where it was raised, or passed on."""
    trace = trace_of(error)
    if trace is None:
        raise AttributeError("'NoneType' object has no attribute 'tb_lineno'")
    line: int = trace.tb_lineno
    return line


def load(value: Any, name: str) -> Any:
    """Read an attribute whose verdict is `HOOK`."""
    special = _LOADS.get(name)
    if special is not None:
        return special(value)
    kind = exact_type(value)
    if is_own(value) or kind is super or kind in WRITABLE or is_of_package(kind):
        found = _safe(getattr(value, name), name)
        return _for_own(found) if _is_lent(value, name, found) else found
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


def _for_own(function: Any) -> Callable[..., Any]:
    """A private method of the library's: of what is not the program's it would give the inside."""

    @functools.wraps(function)
    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return function(writable_own(self), *args, **kwargs)

    return method


def safe_type(value: Any) -> Any:
    """The class of `value`; for a class, a stand-in that cannot make or change classes."""
    kind = exact_type(value)
    return _stand_in(kind) if issubclass(kind, type) else cast("Any", kind)


#: What programs know each metaclass as, by the metaclass; filled by `classes`.
STAND_INS: Final[dict[type, Any]] = {}


def _stand_in(metaclass: type) -> Any:
    """What programs know `metaclass` as: one that has no name of its own is `type` to them."""
    return STAND_INS.get(metaclass, STAND_INS[type])


def shown_class(value: Any) -> Any:
    """`value`, or the stand-in of a class that makes classes."""
    return _stand_in(value) if is_class(value) and issubclass(value, type) else value


def _load_dict(value: Any) -> Any:
    if isinstance(value, type):
        if not is_own_class(value):
            raise refuse_name("__dict__")
        hidden = {"__dict__", "__weakref__", "__annotations__", "__annotate_func__"}
        held = {k: v for k, v in vars(value).items() if k not in hidden}
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


def _load_wrapped(value: Any) -> Any:
    if is_own_function(value):
        wrapped = value.__wrapped__
        if is_own(wrapped):
            return unbound(wrapped) if type(wrapped) is FunctionType else wrapped
    raise refuse_name("__wrapped__")


def is_own_code(value: Any) -> bool:
    """Whether `value` is a function of the program's, or one bound to an object."""
    return is_own_function(value.__func__ if type(value) is MethodType else value)


def _load_setstate(value: Any) -> Any:
    """`__setstate__`: the library's own would set any attribute."""
    found = value.__setstate__
    if is_own_code(found):
        return unbound(found) if type(found) is FunctionType else found
    raise refuse_name("__setstate__")


def _load_get(value: Any) -> Any:
    """`__get__`: a property, whatever holds it, would call its getter with any object as `self`."""
    found = value.__get__
    if type(value) is FunctionType or is_own_code(found):
        return unbound(found) if type(found) is FunctionType else found
    is_unbound = is_class(value)

    def bind(*arguments: Any) -> Any:
        for one in arguments[1:] if is_unbound else arguments:
            if one is not None and not is_own(one):
                raise denied(
                    f"__get__ with {type(one).__name__!r}", "it would run with a foreign self"
                )
        bound = found(*arguments)
        return unbound(bound) if type(bound) is FunctionType else bound

    return bind


def _of_own_function(name: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if is_own(value) or is_own_code(value):
            return getattr(value, name)
        raise refuse_name(name)  # a library function's default may be the real `getattr`

    return read


def _kind_of_values(name: str) -> Callable[[Any], Any]:
    """Attributes that hold a class: where it makes classes, the stand-in."""

    def read(value: Any) -> Any:
        return shown_class(getattr(value, name))

    return read


def _maker(name: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        found = getattr(value, name)
        if is_own_code(found):
            return found
        raise refuse_name(name)

    return read


def _own_only(name: str, subject: int = 0) -> Callable[[Any], Any]:
    """A method of the interpreter's, for the program's own objects.

    Args:
        subject: Which argument of the bound method is the object that it is about, from 1; 0 is
            the one that it is bound to.
    """

    def read(value: Any) -> Any:
        if not isinstance(value, super) and not is_own(value):
            raise refuse_name(name)
        found = getattr(value, name)
        is_unbound = type(found) in _UNBOUND
        if type(found) is FunctionType or not (is_unbound or subject):
            return _safe(found, name)
        place = subject - 1 + is_unbound

        def about_own(*arguments: Any) -> Any:
            for one in arguments[place : place + 1]:
                writable_own(one)
            return found(*arguments)

        return about_own

    return read


_UNBOUND: Final = (MethodDescriptorType, WrapperDescriptorType)


def _checked_accessor(name: str) -> Callable[[Any], Any]:
    """`object.__setattr__` and its kin, bound or not, with the check in front."""

    def read(value: Any) -> Any:
        method = getattr(value, name)
        if name == "__getattr__" and is_own_code(method):
            return unbound(method) if type(method) is FunctionType else method
        if isinstance(value, type):

            def unbound_method(target: Any, attribute: object, *rest: Any) -> Any:
                text = _vetted(name, target, attribute)
                return _safe(method(target, text, *rest), text)

            return unbound_method
        target: Any = getattr(value, "__self__", None) if isinstance(value, super) else value

        def bound_method(attribute: object, *rest: Any) -> Any:
            text = _vetted(name, target, attribute)
            return _safe(method(text, *rest), text)

        return bound_method

    return read


def _safe(found: Any, name: str) -> Any:
    found = _no_module(found, name)
    return unbound(found) if type(found) is FunctionType else found


def _vetted(accessor: str, target: Any, attribute: object) -> str:
    name = exact(attribute)
    if accessor not in ("__getattribute__", "__getattr__"):
        check_store(target, name)
        changeable(target)
    elif (
        NAMES.load(name) is not Verdict.PLAIN and not (name.startswith("_") and is_own(target))
    ) or (attributes.is_dunder(name) and NAMES.load(name) is not Verdict.PLAIN):
        raise refuse_name(name)
    return name


def _load_format(value: Any) -> Any:
    return formatting.method(value, "format")


def _load_format_map(value: Any) -> Any:
    return formatting.method(value, "format_map")


def _no_module(found: Any, name: str) -> Any:
    if isinstance(found, ModuleType):
        raise refuse_name(name)
    return found


def _module_holder(name: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if name.startswith("_") and not (isinstance(value, super) or is_own(value)):
            raise refuse_name(name)
        start: Any = getattr(value, "__self_class__", None) if isinstance(value, super) else value
        kind: type = start if is_class(start) else exact_type(start)
        home = next((base for base in kind.__mro__ if name in vars(base)), None)
        if home is not None and not (is_own_class(home) or is_of_package(home)):
            raise refuse_name(name)
        return _no_module(getattr(value, name), name)

    return read


def _of_own_class(name: str) -> Callable[[Any], Any]:
    """How one of the program's classes stands among others: those that it may name, and no more."""

    def read(value: Any) -> Any:
        if name == "mro" and (is_own(value) or is_of_package(exact_type(value))):
            found = getattr(value, name)
            if not (is_class(value) and type(found) is BuiltinFunctionType):
                return _safe(found, name)
        if not is_class(value) or not is_own_class(value):
            raise refuse_name(name)
        if name == "__subclasses__":
            return lambda: [kind for kind in type.__subclasses__(value) if is_own_class(kind)]
        lineage: tuple[type, ...] = value.__mro__
        if not all(is_own_class(kind) or kind in BASES or is_of_package(kind) for kind in lineage):
            raise refuse_name(name)
        return (lambda: list(lineage)) if name == "mro" else getattr(value, name)

    return read


def _load_obj(value: Any) -> Any:
    """`obj`: of an error or a memoryview it is whatever was behind it."""
    found = value.obj
    kind = exact_type(value)
    if (
        (is_own(value) and not isinstance(value, AttributeError))
        or kind in WRITABLE
        or is_of_package(kind)
        or is_own(found)
        or type(found) in DATA
    ):
        return _no_module(found, "obj")
    raise refuse_name("obj")


def _load_self(value: Any) -> Any:
    found = value.__self__
    if isinstance(value, super) or is_own(value) or is_own(found) or type(found) in DATA:
        return found
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

#: Library classes whose instances patterns take apart: plain data, and syntax trees.
_TAKEN_APART: Final = (
    bool,
    bytearray,
    bytes,
    dict,
    float,
    frozenset,
    int,
    list,
    set,
    str,
    tuple,
    ast.AST,
)

_LOADS: Final[dict[str, Callable[[Any], Any]]] = {
    "__class__": safe_type,
    "__dict__": _load_dict,
    "__annotations__": _load_annotations,
    "__dataclass_fields__": _load_fields,
    "__new__": _load_new,
    "__wrapped__": _load_wrapped,
    **{
        name: _own_only(name)
        for name in (
            "__reduce__",
            "__reduce_ex__",
            "__getstate__",
            "__getnewargs__",
            "__getnewargs_ex__",
            "__orig_bases__",
            "__orig_class__",
        )
    },
    **{name: _own_only(name, subject=1) for name in ("__set__", "__delete__")},
    "__setstate__": _load_setstate,
    "__get__": _load_get,
    **{name: _of_own_function(name) for name in ("__defaults__", "__kwdefaults__")},
    **{name: _kind_of_values(name) for name in ("__objclass__", "__origin__")},
    **{name: _maker(name) for name in attributes.MAKERS},
    "__setattr__": _checked_accessor("__setattr__"),
    "__delattr__": _checked_accessor("__delattr__"),
    "__getattribute__": _checked_accessor("__getattribute__"),
    "__getattr__": _checked_accessor("__getattr__"),
    **{name: _of_own_class(name) for name in attributes.LINEAGE},
    "format": _load_format,
    "format_map": _load_format_map,
    "obj": _load_obj,
    **{name: _module_holder(name) for name in attributes.MODULE_HOLDERS},
    "__self__": _load_self,
    "__func__": _load_func,
}
