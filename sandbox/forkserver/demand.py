"""How many guests a fork server is to keep ready: arithmetic alone, without a process.

A take that finds no spare guest asks for one more to wait from then on; many takes in a row that
find one give it up again.

Source: SANDBOX 1.5.
"""

from __future__ import annotations

from typing import Final

#: So many takes without a miss lower the number of spares by one.
_CALM: Final = 64


class Demand:
    """What is wanted, and what is on its way.

    Args:
        least: How many guests wait when there is little to do.
        most: How many wait at most under load.
    """

    def __init__(self, *, least: int, most: int) -> None:
        self._least = self._wanted = least
        self._most = most
        self._calm = 0
        self._on_order = 0
        self._asked_back = 0  # of those, how many nobody wants any more, unless they come anyway

    def has_order(self) -> bool:
        """Whether a guest is on its way."""
        return self._on_order > 0

    def missed(self) -> None:
        """There was no spare guest."""
        self._calm = 0
        self._wanted = min(self._wanted + 1, self._most)

    def met(self) -> None:
        """There was one."""
        self._calm += 1
        if self._calm >= _CALM:
            self._calm = 0
            self._wanted = max(self._wanted - 1, self._least)

    def has_enough(self, here: int) -> bool:
        """Whether one more guest that nobody waits for would be one too many."""
        return here >= self._wanted

    def order(self, here: int, waiting: int) -> int:
        """How many guests are to be forked; they are on their way from now on.

        Args:
            here: Spare guests.
            waiting: Tasks that wait for a guest.
        """
        count = max(-self._surplus(here, waiting), 0)
        self._on_order += count
        return count

    def ask_back(self, here: int, waiting: int) -> int:
        """How many guests on their way are not to be forked, or to be ended, after all."""
        count = max(min(self._surplus(here, waiting), self._on_order - self._asked_back), 0)
        self._asked_back += count
        return count

    def came(self) -> None:
        """A guest has come, or it is known that it cannot."""
        self._on_order -= 1

    def withdrawn(self, asked: int, taken: int) -> None:
        """Of `asked` guests that were asked back, `taken` will not come."""
        self._asked_back -= asked
        self._on_order -= taken

    def _surplus(self, here: int, waiting: int) -> int:
        """How many guests more than are wanted are here or on their way; negative: fewer."""
        return here + self._on_order - self._asked_back - self._wanted - waiting
