"""The names that `tempfile` gives to files: the same again in a run with the same seed."""

from __future__ import annotations

import random
from typing import Final

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789_"
_LENGTH: Final = 8


class Names:
    """An endless iterator over random names; the generator is made when the first is asked for."""

    __slots__ = ("_random", "_seed")

    def __init__(self) -> None:
        self.restart(None)

    def restart(self, seed: int | None) -> None:
        """Begin anew; truly random without a seed."""
        self._seed = seed
        self._random: random.Random | None = None

    def __iter__(self) -> Names:
        return self

    def __next__(self) -> str:
        if self._random is None:
            self._random = random.Random(self._seed)  # noqa: S311 - names, not secrets
        return "".join(self._random.choices(_LETTERS, k=_LENGTH))


#: The one that `tempfile` uses.
NAMES: Final = Names()
