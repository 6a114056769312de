"""What compares kinds, of which one may be `type`, with what a program gave: caches and aliases.

Two calls of a cache that tells arguments apart by their kinds, with keys of one hash, are compared
item by item: by the `__eq__` of a program's object where the other call has a kind.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable
from typing import Any, Final

from codemode.sandbox.language.ownership import is_class
from codemode.sandbox.marks import override

_lru_cache: Final[Callable[..., Any]] = functools.lru_cache
_ALIAS: Final[Any] = vars(typing)["_GenericAlias"]


class _Kinds:
    """The kinds of the arguments of a call; equal to nothing but the same kinds."""

    __slots__ = ("_kinds",)

    def __init__(self, values: tuple[Any, ...]) -> None:
        self._kinds = tuple(map(type, values))

    @override
    def __eq__(self, other: object) -> bool:
        return type(other) is _Kinds and self._kinds == other._kinds

    @override
    def __hash__(self) -> int:
        return hash(self._kinds)


def lru_cache(maxsize: Any = 128, typed: Any = False) -> Any:
    """`functools.lru_cache`, which compares kinds with nothing but kinds."""
    if not typed:
        return _lru_cache(maxsize)
    if callable(maxsize):
        return lru_cache(typed=True)(maxsize)

    def decorate(function: Callable[..., Any]) -> Any:
        def call(_: _Kinds, /, *args: Any, **named: Any) -> Any:
            return function(*args, **named)

        cached = _lru_cache(maxsize)(call)

        @functools.wraps(function)
        def wrapper(*args: Any, **named: Any) -> Any:
            return cached(_Kinds((*args, *named.values())), *args, **named)

        shown: Any = wrapper
        shown.cache_info, shown.cache_clear = cached.cache_info, cached.cache_clear
        shown.cache_parameters = lambda: {**cached.cache_parameters(), "typed": True}
        return wrapper

    return decorate


def split_url(original: Any, url: Any, scheme: Any = "", allow_fragments: Any = True) -> Any:
    """`urllib.parse.urlsplit`, whose cache is one of those, of what is no class."""
    if is_class(url) or is_class(scheme):
        raise TypeError("a class is no part of a URL")
    return original(url, scheme, bool(allow_fragments))


def same_alias(original: Any, self: Any, other: Any) -> Any:
    """Aliases compare their origins, of which one is `type`: with what a program made one of."""
    if not isinstance(other, _ALIAS) or not isinstance(self, _ALIAS):
        return NotImplemented
    return self.__origin__ is other.__origin__ and original(self, other)
