"""`timeit` for functions: the library's own turns text into code.

Must never compile anything. Source: the documentation of `timeit`.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any, Final

from codemode.sandbox.language.ownership import expect
from codemode.sandbox.language.refusals import denied

_NUMBER: Final = 1_000_000
_REPEAT: Final = 5
#: What `autorange` takes for long enough, in seconds.
_ENOUGH_S: Final = 0.2


class Timer:
    """Measures how long a function takes, called many times."""

    def __init__(
        self,
        stmt: Any = "pass",
        setup: Any = "pass",
        timer: Callable[[], float] = time.perf_counter,
        globals: Any = None,  # the library's parameter: a function has its own
    ) -> None:
        expect(self, Timer)
        self._stmt = _function("stmt", stmt)
        self._setup = _function("setup", setup)
        self._timer = timer

    def timeit(self, number: int = _NUMBER) -> float:
        """The time that `number` calls take."""
        self._setup()
        stmt, rounds = self._stmt, itertools.repeat(None, number)
        start = self._timer()
        for _ in rounds:
            stmt()
        return self._timer() - start

    def repeat(self, repeat: int = _REPEAT, number: int = _NUMBER) -> list[float]:
        """The same, `repeat` times."""
        return [self.timeit(number) for _ in range(repeat)]

    def autorange(self, callback: Callable[[int, float], Any] | None = None) -> tuple[int, float]:
        """As many calls as take long enough, and their time."""
        scale = 1
        while True:
            for digit in (1, 2, 5):
                number = digit * scale
                taken = self.timeit(number)
                if callback is not None:
                    callback(number, taken)
                if taken >= _ENOUGH_S:
                    return number, taken
            scale *= 10


def _function(name: str, value: Any) -> Callable[[], Any]:
    if callable(value):
        return value  # type: ignore[no-any-return]  # whatever it is, it is the program's
    if value == "pass" and type(value) is str:
        return _nothing
    raise denied(
        f"timeit of text as {name}", "text must not become code", "a function, or a lambda"
    )


def _nothing() -> None:
    """What `pass` does."""


def timeit(
    stmt: Any = "pass",
    setup: Any = "pass",
    timer: Callable[[], float] = time.perf_counter,
    number: int = _NUMBER,
    globals: Any = None,
) -> float:
    """`timeit.timeit` for functions."""
    return Timer(stmt, setup, timer, globals).timeit(number)


def repeat(
    stmt: Any = "pass",
    setup: Any = "pass",
    timer: Callable[[], float] = time.perf_counter,
    repeat: int = _REPEAT,
    number: int = _NUMBER,
    globals: Any = None,
) -> list[float]:
    """`timeit.repeat` for functions."""
    return Timer(stmt, setup, timer, globals).repeat(repeat, number)


#: What stands for the library's own.
TIMEIT: Final = {"Timer": Timer, "timeit": timeit, "repeat": repeat}
