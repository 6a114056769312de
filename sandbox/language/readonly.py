"""A dict that nobody can change, nor get at: a mapping proxy gives what it holds to an `__eq__`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from codemode.sandbox.marks import override

_V = TypeVar("_V")


class ReadOnly(Mapping[str, _V], Generic[_V]):
    """The items of a small dict, as they were when this was made."""

    __slots__ = ("_items",)

    def __init__(self, held: Mapping[str, _V]) -> None:
        self._items = tuple(held.items())

    @override
    def __getitem__(self, key: str) -> _V:
        for name, value in self._items:
            if name == key:
                return value
        raise KeyError(key)

    @override
    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in self._items])

    @override
    def __len__(self) -> int:
        return len(self._items)

    @override
    def __repr__(self) -> str:
        return repr(dict(self._items))
