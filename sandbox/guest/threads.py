"""Threads of a program, as strands of the scheduler.

The primitives of `threading` are replaced at their root, in the real modules: conditions, events,
semaphores, barriers, queues and futures of the standard library are built on the lock and work
unchanged. Nothing here starts a thread: the jail would kill the guest.
"""

from __future__ import annotations

import _threading_local
import queue
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from codemode.sandbox.guest.hidden import Hidden
from codemode.sandbox.guest.locks import Lock
from codemode.sandbox.guest.scheduler import SCHEDULER, Strand
from codemode.sandbox.language.ownership import expect
from codemode.sandbox.marks import override


class Thread:
    """As `threading.Thread`, on a strand."""

    def __init__(
        self,
        group: None = None,
        target: Callable[..., object] | None = None,
        name: str | None = None,
        args: Iterable[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        daemon: bool | None = None,
    ) -> None:
        expect(self, Thread)
        self.name = str(name) if name else _new_name(target)
        self._is_daemon = current_thread().daemon if daemon is None else bool(daemon)
        self._target = target
        self._args = tuple(args)
        self._kwargs = dict(kwargs or {})

    def start(self) -> None:
        """As of `threading.Thread`."""
        expect(self, Thread)
        if not hasattr(self, "_is_daemon"):
            raise RuntimeError("thread.__init__() not called")
        if strand_of(self) is not None:
            raise RuntimeError("threads can only be started once")
        _alive.append(self)
        SCHEDULER.spawn(lambda: _live(self))

    def run(self) -> None:
        """As of `threading.Thread`."""
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def join(self, timeout: float | None = None) -> None:
        """As of `threading.Thread`."""
        strand = strand_of(self)
        if strand is None:
            raise RuntimeError("cannot join thread before it is started")
        if strand is SCHEDULER.current:
            raise RuntimeError("cannot join current thread")
        if timeout is None:
            SCHEDULER.join(strand)
            return
        me, expired = SCHEDULER.current, list[bool]()
        strand.joiners.append(me)

        def expire() -> None:
            expired.append(True)
            SCHEDULER.wake(me)

        alarm = SCHEDULER.call_later(timeout, expire)
        while not strand.is_done and not expired:
            SCHEDULER.park()
        alarm.cancel()

    def is_alive(self) -> bool:
        """As of `threading.Thread`."""
        SCHEDULER.breathe()  # programs spin on this
        strand = strand_of(self)
        return strand is not None and not strand.is_done

    @property
    def ident(self) -> int | None:
        """As of `threading.Thread`."""
        strand = strand_of(self)
        return None if strand is None else strand.ident

    native_id = ident

    @property
    def daemon(self) -> bool:
        """As of `threading.Thread`."""
        return self._is_daemon

    @daemon.setter
    def daemon(self, is_daemon: bool) -> None:
        expect(self, Thread)
        strand = strand_of(self)
        if strand is not None and not strand.is_done:
            raise RuntimeError("cannot set daemon status of active thread")
        self._is_daemon = bool(is_daemon)

    def getName(self) -> str:  # the standard library's name
        """As of `threading.Thread`."""
        _deprecated("getName() is deprecated, get the name attribute instead")
        return self.name

    def setName(self, name: str) -> None:  # the standard library's name
        """As of `threading.Thread`."""
        expect(self, Thread)
        _deprecated("setName() is deprecated, set the name attribute instead")
        self.name = name

    def isDaemon(self) -> bool:  # the standard library's name
        """As of `threading.Thread`."""
        _deprecated("isDaemon() is deprecated, get the daemon attribute instead")
        return self.daemon

    def setDaemon(self, daemonic: bool) -> None:  # the standard library's name
        """As of `threading.Thread`."""
        _deprecated("setDaemon() is deprecated, set the daemon attribute instead")
        self.daemon = daemonic

    @override
    def __repr__(self) -> str:
        strand = strand_of(self)
        state = "initial" if strand is None else "stopped" if strand.is_done else "started"
        daemon = " daemon" if self._is_daemon else ""
        ident = "" if strand is None else f" {strand.ident}"
        return f"<{type(self).__name__}({self.name}, {state}{daemon}{ident})>"


class _MainThread(Thread):
    """What the main thread is in the standard library."""

    def __init__(self) -> None:
        super().__init__(name="MainThread", daemon=False)


def _new_name(target: Callable[..., object] | None) -> str:
    global _made
    _made += 1
    name = getattr(target, "__name__", None)
    return f"Thread-{_made}" if name is None else f"Thread-{_made} ({name})"


def _deprecated(message: str) -> None:
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def _live(thread: Thread) -> None:
    """The life of a thread, in a strand of its own."""
    strand = SCHEDULER.current
    bind_thread(thread, strand)
    try:
        thread.run()
    except SystemExit:
        pass  # ends the thread, as in the interpreter
    except BaseException:  # noqa: BLE001  # the program's own; a thread reports it and ends
        exception_hook(thread, sys.exc_info())
    finally:
        # By identity: an heir may say that it equals another.
        _alive[:] = [one for one in _alive if one is not thread]
        strand.thread = None  # the record of it ends with the thread object


class Timer(Thread):
    """As `threading.Timer`."""

    def __init__(
        self,
        interval: float,
        function: Callable[..., object],
        args: Iterable[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.interval = interval
        self.function = function
        self.args: Iterable[Any] = [] if args is None else args
        self.kwargs: Mapping[str, Any] = {} if kwargs is None else kwargs
        self.finished = threading.Event()

    def cancel(self) -> None:
        """As of `threading.Timer`."""
        self.finished.set()

    @override
    def run(self) -> None:
        """As of `threading.Timer`."""
        if not self.finished.wait(self.interval):
            self.function(*self.args, **self.kwargs)
        self.finished.set()


# What programs know them as.
Thread.__module__ = Timer.__module__ = _MainThread.__module__ = "threading"

#: The strand of each thread that has begun.
_strands: Final[Hidden[Strand]] = Hidden()


def strand_of(thread: Thread) -> Strand | None:
    """The strand that runs `thread`, or ran it; None before its start."""
    return _strands.get(thread)


def bind_thread(thread: Thread, strand: Strand) -> None:
    """Record that `strand` runs `thread`."""
    _strands.put(thread, strand)
    strand.thread = thread


_made = 0
_alive: Final[list[Thread]] = []


def exception_hook(thread: Thread, info: Any) -> None:
    """Report what a thread died of; replaced by the program runner, which knows its file."""
    sys.stderr.write(f"Exception in thread {thread.name}: {info[0].__name__}\n")


def name_worker(name: str) -> None:
    """Say what the strand that runs, which no thread of the program's started, is called."""
    bind_thread(Thread(name=name, daemon=True), SCHEDULER.current)


def main_thread() -> Thread:
    """As of `threading`."""
    main = SCHEDULER.main
    if main.thread is None:
        bind_thread(_MainThread(), main)
    return cast("Thread", main.thread)


def current_thread() -> Thread:
    """As of `threading`."""
    strand = SCHEDULER.current
    if strand is SCHEDULER.main:
        return main_thread()
    if strand.thread is None:
        bind_thread(Thread(name=f"Worker-{strand.ident}", daemon=True), strand)
    return cast("Thread", strand.thread)


def enumerate_threads() -> list[Thread]:
    """As `threading.enumerate`."""
    return [main_thread(), *_alive]


def active_count() -> int:
    """As of `threading`."""
    return 1 + len(_alive)


def get_ident() -> int:
    """As of `threading`."""
    return SCHEDULER.current.ident


def join_threads() -> None:
    """Wait for the threads that a program's end waits for."""
    while waited := [thread for thread in _alive if not thread.daemon]:
        waited[0].join()


def sleep(seconds: float, /) -> None:
    """As `time.sleep`: other strands run meanwhile."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    if seconds == 0:
        SCHEDULER.breathe()
    else:
        SCHEDULER.sleep(seconds)


_Reentrant: Final[Any] = getattr(threading, "_PyRLock")  # noqa: B009  # not in the stubs


class RLock(_Reentrant):  # type: ignore[misc]  # the library's own, in Python
    """As of `threading`, on our lock."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As of `threading.RLock`."""
        return bool(_Reentrant.acquire(self, blocking, timeout))

    __enter__ = acquire


RLock.__module__ = "_thread"


def stack_size(size: int = 0, /) -> int:
    """As of `threading`: strands take what they need of the one stack that there is."""
    if size < 0:
        raise ValueError("size must be 0 or a positive value")
    return 0


def is_set(self: Any) -> bool:
    """As of `threading.Event`: programs loop until it is."""
    SCHEDULER.look()
    return bool(self._flag)


def install() -> None:
    """Replace the primitives in the standard library's own modules."""
    main = threading.main_thread()
    replaced: dict[str, Any] = {
        "_allocate_lock": Lock, "Lock": Lock, "_CRLock": RLock, "Thread": Thread, "Timer": Timer,
        "get_ident": get_ident, "get_native_id": get_ident, "current_thread": current_thread,
        "currentThread": current_thread, "main_thread": main_thread, "enumerate": enumerate_threads,
        "active_count": active_count, "stack_size": stack_size, "local": _threading_local.local,
    }  # fmt: skip
    for name, value in replaced.items():
        setattr(threading, name, value)
    threading.Event.is_set = is_set  # type: ignore[method-assign]
    # After each fork the library looks its main thread up by the replaced `get_ident`.
    active: dict[int, threading.Thread] = getattr(threading, "_active")  # noqa: B009  # not in the stubs
    active.clear()
    active[get_ident()] = main
    setattr(_threading_local, "current_thread", current_thread)  # noqa: B010  # not in the stubs
    setattr(_threading_local, "RLock", threading.RLock)  # noqa: B010  # not in the stubs
    queue.SimpleQueue = queue._PySimpleQueue  # type: ignore[attr-defined,misc]
    time.sleep = sleep  # type: ignore[assignment]  # of the stubs' wider number
