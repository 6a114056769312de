"""Dicts that nobody can change, nor get at: a mapping proxy gives what it holds to an `__eq__`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

from codemode.sandbox.marks import override


class ReadOnly(Mapping[str, Any]):
    """The items of a small dict, as they were when this was made."""

    __slots__ = ("_items",)
    _items: tuple[tuple[str, Any], ...]

    def __new__(cls, held: Mapping[str, Any]) -> Self:
        """With the items of `held`."""
        # Not in `__init__`, which anybody could call again.
        made = super().__new__(cls)
        made._items = tuple(held.items())
        return made

    @override
    def __getitem__(self, key: str) -> Any:
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


class ReadOnlyProxy(ReadOnly):
    """One that looks like a mapping proxy."""

    __slots__ = ()

    @override
    def __str__(self) -> str:
        return super().__repr__()

    @override
    def __repr__(self) -> str:
        return f"mappingproxy({self})"


class LiveView(Mapping[Any, Any]):
    """What a mapping holds at any time, for reading alone."""

    __slots__ = ("_held",)
    _held: Mapping[Any, Any]

    def __new__(cls, held: Mapping[Any, Any]) -> Self:
        """Of `held`."""
        made = super().__new__(cls)
        made._held = held
        return made

    @override
    def __getitem__(self, key: Any) -> Any:
        return self._held[key]

    @override
    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._held))

    @override
    def __len__(self) -> int:
        return len(self._held)

    @override
    def __str__(self) -> str:
        return str(dict(self._held))

    @override
    def __repr__(self) -> str:
        return f"mappingproxy({self})"
