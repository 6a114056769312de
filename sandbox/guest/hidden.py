"""What belongs to an object and must not be an attribute of it.

Programs inherit from classes of the guest, and a method of theirs reads every attribute of its
`self`. Kept by identity: no method of the object is called, and no copy of it takes this along.
"""

from __future__ import annotations

import weakref
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")


class Hidden(Generic[T]):
    """One value for each object, as long as the object lives."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: Final[dict[int, tuple[weakref.ref[Any], T]]] = {}

    def put(self, owner: object, value: T) -> None:
        """Keep `value` for `owner`; it must not keep `owner` alive for ever."""
        key = id(owner)
        held = self._held
        held[key] = weakref.ref(owner, lambda _: held.pop(key, None)), value

    def get(self, owner: object) -> T | None:
        """What is kept for `owner`, if anything is."""
        found = self._held.get(id(owner))
        return None if found is None else found[1]
