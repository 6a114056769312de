"""`ThreadPoolExecutor` of a program: its workers are strands of the scheduler."""

from __future__ import annotations

import concurrent.futures
import concurrent.futures.thread
import itertools
import logging
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures.thread import BrokenThreadPool
from typing import Any, Final

from codemode.sandbox.guest import threads
from codemode.sandbox.guest.hidden import Hidden
from codemode.sandbox.guest.order import Future
from codemode.sandbox.guest.scheduler import SCHEDULER, Strand
from codemode.sandbox.guest.threads import Thread, bind_thread
from codemode.sandbox.language.ownership import expect
from codemode.sandbox.marks import override


class _Crew:
    """The workers of one executor, and those of them that wait for work.

    Attributes:
        is_broken: A worker could not begin.
    """

    __slots__ = ("idle", "is_broken", "workers")

    def __init__(self) -> None:
        self.is_broken = False
        self.workers: list[Strand] = []
        self.idle: deque[Strand] = deque()


_LOGGER: Final = logging.getLogger("concurrent.futures")
_BROKEN: Final = "A thread initializer failed, the thread pool is not usable anymore"
_made: Final = itertools.count().__next__
_crews: Final[Hidden[_Crew]] = Hidden()


def _crew(executor: ThreadPoolExecutor) -> _Crew:
    found = _crews.get(executor)
    if found is None:
        raise RuntimeError("ThreadPoolExecutor.__init__() not called")
    return found


class ThreadPoolExecutor(concurrent.futures.Executor):
    """As of `concurrent.futures`: its workers are strands, started as work comes."""

    def __init__(
        self,
        max_workers: int | None = None,
        thread_name_prefix: str = "",
        initializer: Callable[..., object] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        expect(self, ThreadPoolExecutor)
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._max_workers = max_workers or 32
        self._prefix = thread_name_prefix or f"ThreadPoolExecutor-{_made()}"
        self._initializer = initializer
        self._initargs = initargs
        self._work: deque[tuple[Any, Callable[..., Any], Any, Any]] = deque()
        _crews.put(self, _Crew())
        self._is_closed = False

    @override
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """As of `concurrent.futures`."""
        if _crew(self).is_broken:
            raise BrokenThreadPool(_BROKEN)
        if self._is_closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = Future()
        self._work.append((future, fn, args, kwargs))
        crew = _crew(self)
        if crew.idle:
            SCHEDULER.wake(crew.idle.popleft())
        elif len(crew.workers) < self._max_workers:
            SCHEDULER.spawn(lambda: _live(self))
        return future

    @override
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As of `concurrent.futures`."""
        self._is_closed = True
        if cancel_futures:
            for future, *_ in self._work:
                future.cancel()
            self._work.clear()
        crew = _crew(self)
        while crew.idle:
            SCHEDULER.wake(crew.idle.popleft())
        if wait:
            for worker in crew.workers:
                SCHEDULER.join(worker)


def _live(executor: Any) -> None:
    """The life of one worker, in a strand of its own."""
    me = SCHEDULER.current
    crew = _crew(executor)
    name = f"{executor._prefix}_{len(crew.workers)}"
    thread = Thread(name=name, daemon=True)
    bind_thread(thread, me)
    crew.workers.append(me)
    if executor._initializer is not None:
        try:
            executor._initializer(*executor._initargs)
        except BaseException:  # the program's own; nothing can run in such a pool
            crew.is_broken = True
            while executor._work:
                executor._work.popleft()[0].set_exception(BrokenThreadPool(_BROKEN))
            _LOGGER.critical("Exception in initializer:", exc_info=True)
            return
    while executor._work or not executor._is_closed:
        if not executor._work:
            crew.idle.append(me)
            SCHEDULER.park()
            if me in crew.idle:
                crew.idle.remove(me)
            continue
        try:
            _work_off(*executor._work.popleft())
        except BaseException:  # noqa: BLE001  # of a callback of the future's
            threads.exception_hook(thread, sys.exc_info())
            return


def _work_off(future: Any, fn: Callable[..., Any], args: Any, kwargs: Any) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        value = fn(*args, **kwargs)
    except BaseException as error:  # noqa: BLE001  # raised where the result is taken
        future.set_exception(error)
    else:
        future.set_result(value)


ThreadPoolExecutor.__module__ = "concurrent.futures.thread"  # what programs know it as


def install() -> None:
    """Replace the executor in the standard library's own modules."""
    concurrent.futures.ThreadPoolExecutor = ThreadPoolExecutor  # type: ignore[misc,assignment]
    concurrent.futures.thread.ThreadPoolExecutor = ThreadPoolExecutor  # type: ignore[misc,assignment]
