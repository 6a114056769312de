"""Objects that the library fills after a program gave or made them: they may be anybody's.

A copy, a record, a member, a namespace, a redirected module: only what is the program's own, or of
the kind that the library made itself, is written to.
"""

from __future__ import annotations

import contextlib
import copy
import enum
import warnings
from collections.abc import Callable
from types import BuiltinMethodType, MethodType, SimpleNamespace
from typing import Any, Final, NoReturn, cast

from codemode.sandbox.language import attributes, hooks, loads
from codemode.sandbox.language.classes import bindable
from codemode.sandbox.language.giving import unbound
from codemode.sandbox.language.ownership import (
    FOREIGN,
    exact_type,
    expect,
    is_class,
    is_own,
    is_own_class,
    is_own_function,
    is_writable,
)
from codemode.sandbox.language.refusals import denied, refuse_name
from codemode.sandbox.language.spelling import exact
from codemode.sandbox.language.stores import changeable
from codemode.sandbox.marks import override


def reconstruct(
    original: Any,
    value: Any,
    memo: Any,
    func: Any,
    args: Any,
    state: Any = None,
    *rest: Any,
    **keywords: Any,
) -> Any:
    """`copy` sets whatever state a `__reduce__` names: only on objects that are the program's."""
    if func is getattr:  # a bound method says that it is read from its object, by its name
        func = hooks.guarded_getattr
    if state is None:
        return original(value, memo, func, args, state, *rest, **keywords)
    if exact_type(state) is dict:
        state = {**state}  # nobody else has this one
    pair: Any = state
    if isinstance(state, tuple) and len(pair) == 2 and isinstance(pair[1], dict):
        for name in map(exact, pair[1]):
            if attributes.decide(name, store=True) is attributes.Verdict.REFUSED:
                raise refuse_name(name)

    def make(*arguments: Any) -> Any:
        made = func(*arguments)
        if issubclass(type(made), BaseException):
            _check_state(state)
        is_alike = type(made) is type(value) and not is_own(value)
        return made if is_alike else changeable(made)

    if memo is None or is_writable(value):
        return original(value, memo, make, args, state, *rest, **keywords)
    # A memo remembers what was copied, attributes that are nobody's to see among it.
    apart = _Apart(memo)
    made = original(value, apart, make, args, state, *rest, **keywords)
    hidden = {id(apart), id(pair)}
    if isinstance(state, tuple):
        hidden.update(map(id, pair))
    memo.setdefault(id(memo), []).append(_Kept(apart.get(id(apart))))
    for key, one in apart.items():
        if key not in memo and key not in hidden and (type(one) in loads.DATA or is_writable(one)):
            memo[key] = one
    return made


def _check_state(state: Any) -> None:
    """Refuse what an exception would not only keep in its dict, but set."""
    kind = exact_type(state)
    if issubclass(kind, dict) and kind is not dict:
        raise denied("this state of an exception", "it may answer differently each time")
    for name in state if kind is dict else ():
        if type(name) is not str:
            raise TypeError("the names in a state are text")
        if attributes.decide(name, store=True) is attributes.Verdict.REFUSED:
            raise refuse_name(name)


class _Apart(dict[int, Any]):
    """A memo for what lies inside an object that is not the program's.

    Attributes:
        shown: The memo that methods of the program's see in its place.
    """

    __slots__ = ("shown",)

    def __init__(self, shown: dict[int, Any]) -> None:
        super().__init__(shown)
        self.shown: dict[int, Any] = shown.shown if type(shown) is _Apart else shown


def copy_setattr(value: Any, name: Any, new: Any) -> None:
    """`setattr` as `copy` has it, for slots: what is not the program's says itself which it has."""
    store: Any = hooks.guarded_setattr if is_writable(value) else setattr
    store(value, name, new)


def deepcopy_method(method: Any, memo: Any) -> Any:
    """`copy.deepcopy` of a bound method: what it is bound to then may be anything."""
    subject = method.__self__
    is_open = is_own(subject) or type(subject) in loads.DATA
    bound: Any = copy.deepcopy(subject, memo if is_open else _Apart(memo))
    if not is_own_function(method.__func__):
        # The library's take what they are bound to for what it was.
        is_alike = bound is subject or (not is_class(bound) and type(bound) is type(subject))
        if not is_alike:
            raise denied("a copy of this method", "it would run with a foreign self")
    return exact_type(method)(unbound(method.__func__), bound)


def copy_getattr(value: Any, name: str, *default: Any) -> Any:
    """`getattr` as `copy` has it: a `__deepcopy__` of the program's sees no memo of others."""
    found = getattr(value, name, *default)
    if name != "__deepcopy__" or found is None or not is_writable(value):
        return found

    def copied(memo: dict[int, Any]) -> Any:
        return found(memo.shown if type(memo) is _Apart else memo)

    return copied


class _Kept:
    """Keeps objects alive, so that their ids stay theirs, and shows them to nobody."""

    __slots__ = ("_kept",)

    def __init__(self, kept: Any) -> None:
        self._kept = kept

    @override
    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError("what a memo keeps alive cannot be copied")


def copy_wrapped(self: Any) -> Any:
    """A copy of a `UserDict` or `UserList`: its `__new__` may give an object of another kind."""
    kind: Any = exact_type(self)
    made = changeable(kind.__new__(kind))
    made.__dict__.update(self.__dict__)
    made.__dict__["data"] = copy.copy(self.__dict__["data"])
    return made


def record_factory(original: Any, factory: Any) -> None:
    """`logging` fills what a factory gives by names of the program's: only what is its own."""

    def make(*args: Any, **keywords: Any) -> Any:
        return changeable(factory(*args, **keywords))

    original(make)


def member_of_enum(original: Any, self: Any, kind: Any, name: str) -> None:
    """A member that is not made yet takes its own place in a class, which must be an enum."""
    expect(kind, enum.EnumMeta)
    original(self, kind, name)


def members_alone(owner: type) -> Callable[..., Any]:
    """The members of an enum are instances of it: the library calls `__init__` on them."""
    find: Any = vars(owner)["_find_new_"].__func__

    def find_new(kind: Any, *arguments: Any) -> tuple[Any, Any, Any]:
        make: Any
        make, saves, takes_arguments = find(kind, *arguments)
        if exact_type(make) is BuiltinMethodType:
            return make, saves, takes_arguments
        called: Callable[..., Any] = make.__func__ if exact_type(make) is staticmethod else make

        def make_member(cls: Any, *args: Any, **keywords: Any) -> Any:
            made: Any = called(cls, *args, **keywords)
            if not issubclass(exact_type(made), cls):
                raise TypeError(f"__new__ of {cls.__name__!r} gave no member of it")
            return made

        return make_member, saves, takes_arguments

    return find_new


def redirect_stream(original: Any, self: Any, *args: Any) -> Any:
    """A redirection sets what its attribute names in `sys`: only that of its own class."""
    if type(self) not in _REDIRECTIONS or "_stream" in vars(self):
        raise denied("this redirection", "it would set something else than a stream")
    return original(self, *args)


_REDIRECTIONS: Final = (contextlib.redirect_stdout, contextlib.redirect_stderr)


def catch_warnings(original: Any, self: Any, *args: Any, **keywords: Any) -> None:
    """It keeps and sets names of a module: of `warnings` alone."""
    if type(self) is not warnings.catch_warnings:
        raise denied("catch_warnings for another object", "it would be given a module")
    original(self, *args, **keywords)


def copied_alike(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`copy.copy` or its like for who fills the copy, which a method of the program's may give."""

    def copied(value: Any) -> Any:
        made = make(value)
        return made if exact_type(made) is exact_type(value) else changeable(made)

    return copied


#: What stands for the module `copy` there.
COPY: Final = SimpleNamespace(copy=copied_alike(copy.copy), deepcopy=copied_alike(copy.deepcopy))


def exit_method(function: Any, manager: Any) -> Any:
    """A stack of context managers binds what leaves one: an object of the program's is called."""
    return MethodType(bindable(function), manager)


def reconstruct_by_base(original: Any, cls: Any, base: Any, state: Any) -> Any:
    """An object as an old pickle has it: made by its base, and then given to that one's `__init__`.

    A `__new__` of the program's gives anything.
    """
    if not (is_class(base) and is_own_class(base)):
        return original(cls, base, state)
    raise denied("this object of an old protocol", "its base belongs to the program", "copy.copy()")


def parser_getattr(value: Any, name: str, *default: Any) -> Any:
    """`getattr` as `argparse` has it: it takes names and objects from programs."""
    read = getattr if _is_of_argparse(value) else hooks.guarded_getattr
    return read(value, name, *default)


def parser_vars(value: Any) -> Any:
    """`vars` as `argparse` has it."""
    if _is_of_argparse(value):
        return cast("Any", vars(value))
    return loads.load(value, "__dict__")


def _is_of_argparse(value: Any) -> bool:
    kind = exact_type(value)
    return kind in FOREIGN and kind.__module__ == "argparse"
