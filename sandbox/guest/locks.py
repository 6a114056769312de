"""The lock of a program, between strands of the scheduler: what all of `threading` is built on."""

from __future__ import annotations

from collections import deque
from typing import Any

from codemode.sandbox.guest.scheduler import SCHEDULER
from codemode.sandbox.language.ownership import expect


class Lock:
    """A lock between strands, handed on in the order of waiting."""

    __slots__ = ("__weakref__", "_is_held", "_waiting")

    def __init__(self) -> None:
        expect(self, Lock)
        self._is_held = False
        self._waiting: deque[list[Any]] = deque()  # [strand, whether it has been given the lock]

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As of `threading.Lock`."""
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if not self._is_held:
            SCHEDULER.look()  # others may go on meanwhile, and take it
        if not self._is_held:
            self._is_held = True
            return True
        if not blocking or timeout == 0:
            return False
        expect(self, Lock)
        me = SCHEDULER.current
        entry: list[Any] = [me, False]
        self._waiting.append(entry)
        expired: list[bool] = []
        alarm = None
        if timeout > 0:

            def expire() -> None:
                expired.append(True)
                SCHEDULER.wake(me)

            alarm = SCHEDULER.call_later(timeout, expire)
        while not entry[1] and not expired:
            SCHEDULER.park()
        if alarm is not None:
            alarm.cancel()
        if not entry[1]:
            self._waiting.remove(entry)
        return bool(entry[1])

    def release(self) -> None:
        """As of `threading.Lock`."""
        expect(self, Lock)
        if not self._is_held:
            raise RuntimeError("release unlocked lock")
        if self._waiting:
            entry = self._waiting.popleft()
            entry[1] = True
            SCHEDULER.wake(entry[0])
        else:
            self._is_held = False

    def locked(self) -> bool:
        """As of `threading.Lock`."""
        return self._is_held

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


# What programs know it as.
Lock.__module__, Lock.__name__, Lock.__qualname__ = "_thread", "lock", "lock"
