"""What belongs to an object and must not be an attribute of it.

Programs inherit from classes of the guest, and a method of theirs reads every attribute of its
`self`; library code reads and writes attributes of whatever it is given. What is kept here has no
name that anybody could use, and no method of the object is called to find it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
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


class Slot(Generic[T]):
    """A slot of a class, of which the class itself no longer knows the name.

    Attributes:
        get: Gives what an object holds. Raises TypeError for an object of another class, and
            AttributeError for one that was not made by its module.
        put: Gives it to an object.
    """

    __slots__ = ("get", "put")

    def __init__(self, owner: type, name: str) -> None:
        descriptor: Any = vars(owner)[name]
        delattr(owner, name)
        self.get: Callable[[Any], T] = descriptor.__get__
        self.put: Callable[[Any, T], None] = descriptor.__set__
