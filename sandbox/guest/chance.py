"""Time and randomness of a run: real, or as the host says so that a run can be repeated.

A guest is a fork of a prepared process: without a new seed every run would draw the same numbers.
A virtual clock shows what the host said last, and a little more at each reading, so that time never
stands still: what a program sees of it depends on what reached the program, and on nothing else.
"""

from __future__ import annotations

import os
import queue
import random
import secrets
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any, Final

from codemode.sandbox.marks import override

_real_time: Final = time.time
_real_time_ns: Final = time.time_ns
_real_monotonic: Final = time.monotonic
_real_entropy: Final = os.urandom


#: What a reading of the virtual clock takes.
_READING_NS: Final = 1_000
#: Readings in a row after which the host is asked what time it is.
_READINGS: Final = 64


def _nobody() -> None:
    """No host yet."""


class Chance:
    """What the replaced functions of `time`, `uuid` and `secrets` read.

    Attributes:
        start_ns: When the virtual clock began, since the epoch; None while the clock is real.
        source: Gives the bytes when the run is seeded.
        refresh: Asks the host for the time.
    """

    def __init__(self) -> None:
        self.start_ns: int | None = None
        self.source: random.Random | None = None
        self.refresh: Callable[[], None] = _nobody
        self._elapsed_ns = 0
        self._readings = 0

    @property
    def is_virtual(self) -> bool:
        """Whether the clock is."""
        return self.start_ns is not None

    def begin(self, seed: int | None, clock: float | None) -> None:
        """Set both for the run that starts now."""
        self.start_ns = None if clock is None else int(clock * 1e9)
        if seed is None:
            random.seed(int.from_bytes(_real_entropy(32), "big"))
        else:
            random.seed(seed)
            self.source = random.Random(f"codemode:{seed}")  # noqa: S311  # repeatable on purpose

    def advance(self, seconds: float) -> None:
        """Let the virtual clock show at least so many seconds since the run began."""
        self._elapsed_ns = max(self._elapsed_ns, int(seconds * 1e9))
        self._readings = 0

    def elapsed_ns(self) -> int:
        """A program's reading of the virtual clock, since the run began."""
        self._readings += 1
        if self._readings % _READINGS == 0:
            self.refresh()
        self._elapsed_ns += _READING_NS
        return self._elapsed_ns

    def monotonic(self) -> float:
        """Seconds by which the guest itself keeps time: real, or the virtual clock as it stands."""
        return _real_monotonic() if self.start_ns is None else self._elapsed_ns / 1e9

    def entropy(self, size: int) -> bytes:
        """Random bytes, as the run has them."""
        return _real_entropy(size) if self.source is None else self.source.randbytes(size)


CHANCE: Final = Chance()


class RunRandom(random.SystemRandom):
    """`SystemRandom` over the run's entropy."""

    @override
    def random(self) -> float:
        """In [0, 1)."""
        return (int.from_bytes(CHANCE.entropy(7), "big") >> 3) * 2.0**-53

    @override
    def getrandbits(self, k: int) -> int:
        """An integer of `k` bits."""
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        size = (k + 7) // 8
        return int.from_bytes(CHANCE.entropy(size), "big") >> (size * 8 - k)

    @override
    def randbytes(self, n: int) -> bytes:
        """`n` bytes."""
        return CHANCE.entropy(n)


# What programs know it as.
RunRandom.__module__, RunRandom.__name__ = "random", "SystemRandom"
RunRandom.__qualname__ = RunRandom.__name__


def now() -> float:
    """As `time.time`."""
    return _real_time() if CHANCE.start_ns is None else now_ns() / 1e9


def now_ns() -> int:
    """As `time.time_ns`."""
    start_ns = CHANCE.start_ns
    return _real_time_ns() if start_ns is None else start_ns + CHANCE.elapsed_ns()


_real_strftime: Final = time.strftime


def strftime(pattern: str, at: Any = None, /) -> str:
    """As `time.strftime`, with the run's present as its default."""
    return _real_strftime(pattern, time.localtime() if at is None else at)


def uuid4() -> uuid.UUID:
    """As `uuid.uuid4`."""
    return uuid.UUID(bytes=CHANCE.entropy(16), version=4)


def uuid1(node: int | None = None, clock_seq: int | None = None) -> uuid.UUID:
    """As `uuid.uuid1`, with a random node: the machine's own is none of a program's business."""
    ticks = now_ns() // 100 + 0x01B21DD213814000
    drawn = int.from_bytes(CHANCE.entropy(8), "big")
    node = (drawn & 0xFFFFFFFFFFFF) | 0x010000000000 if node is None else node
    clock_seq = drawn >> 48 & 0x3FFF if clock_seq is None else clock_seq
    return uuid.UUID(
        fields=(
            ticks & 0xFFFFFFFF,
            ticks >> 32 & 0xFFFF,
            ticks >> 48 & 0x0FFF,
            clock_seq >> 8 & 0x3F,
            clock_seq & 0xFF,
            node,
        ),
        version=1,
    )


def _token_bytes(nbytes: int | None = None) -> bytes:
    return CHANCE.entropy(secrets.DEFAULT_ENTROPY if nbytes is None else nbytes)


def _at_present(function: Any) -> Any:
    """A function of `time` that takes seconds, with the run's present as its default."""

    def moved(seconds: float | None = None, /) -> Any:
        return function(now() if seconds is None else seconds)

    moved.__name__ = function.__name__
    return moved


def _since_start(name: str) -> Any:
    """A clock of `time` without a date: real, or seconds of the virtual one."""
    real = getattr(time, name)
    unit = 1 if name.endswith("_ns") else 1e9

    def read() -> Any:
        return real() if CHANCE.start_ns is None else CHANCE.elapsed_ns() / unit

    def read_ns() -> int:
        value: int = real() if CHANCE.start_ns is None else CHANCE.elapsed_ns()
        return value

    function = read_ns if unit == 1 else read
    function.__name__ = name
    return function


_seed: Final = random.Random.seed


def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
    """As `Random.seed`; without a seed it draws from the run's entropy."""
    _seed(self, int.from_bytes(CHANCE.entropy(32), "big") if a is None else a, version)


def install() -> None:
    """Replace what reads clock and entropy in the standard library's own modules."""
    time.time = now
    time.time_ns = now_ns
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        for clock in (name, f"{name}_ns"):
            setattr(time, clock, _since_start(clock))
    # They have taken the function itself.
    setattr(threading, "_time", time.monotonic)  # noqa: B010  # not in the stubs
    setattr(queue, "time", time.monotonic)  # noqa: B010  # not in the stubs
    for name in ("gmtime", "localtime", "ctime"):
        setattr(time, name, _at_present(getattr(time, name)))
    time.strftime = strftime
    uuid.uuid4 = uuid4
    uuid.uuid1 = uuid1
    random.Random.seed = seed  # type: ignore[method-assign]  # of the stubs' wider seeds
    random.seed = random._inst.seed  # pyright: ignore[reportPrivateUsage] -- its own instance
    drawn = RunRandom()
    random.SystemRandom = RunRandom  # type: ignore[misc]
    secrets.SystemRandom = RunRandom  # type: ignore[misc]
    secrets._sysrand = drawn  # type: ignore[attr-defined]
    secrets.token_bytes = _token_bytes
    secrets.randbits = drawn.getrandbits
    secrets.choice = drawn.choice
