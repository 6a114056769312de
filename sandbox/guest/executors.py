"""`ThreadPoolExecutor` of a program: its workers are strands of the scheduler."""

from __future__ import annotations

import concurrent.futures
import concurrent.futures.thread
from collections import deque
from collections.abc import Callable
from typing import Any

from codemode.sandbox.guest.order import Future
from codemode.sandbox.guest.scheduler import SCHEDULER, Strand
from codemode.sandbox.guest.threads import Thread
from codemode.sandbox.marks import override


class ThreadPoolExecutor(concurrent.futures.Executor):
    """As of `concurrent.futures`: its workers are strands, started as work comes."""

    def __init__(
        self,
        max_workers: int | None = None,
        thread_name_prefix: str = "",
        initializer: Callable[..., object] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._max_workers = max_workers or 32
        self._prefix = thread_name_prefix or "ThreadPoolExecutor"
        self._initializer = initializer
        self._initargs = initargs
        self._work: deque[tuple[Any, Callable[..., Any], Any, Any]] = deque()
        self._workers: list[Strand] = []
        self._idle: deque[Strand] = deque()
        self._is_closed = False

    @override
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """As of `concurrent.futures`."""
        if self._is_closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = Future()
        self._work.append((future, fn, args, kwargs))
        if self._idle:
            SCHEDULER.wake(self._idle.popleft())
        elif len(self._workers) < self._max_workers:
            SCHEDULER.spawn(self._live)
        return future

    def _live(self) -> None:
        me = SCHEDULER.current
        me.thread = Thread(name=f"{self._prefix}_{len(self._workers)}", daemon=True)
        me.thread._strand = me
        self._workers.append(me)
        if self._initializer is not None:
            self._initializer(*self._initargs)
        while self._work or not self._is_closed:
            if not self._work:
                self._idle.append(me)
                SCHEDULER.park()
                if me in self._idle:
                    self._idle.remove(me)
                continue
            future, fn, args, kwargs = self._work.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                value = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001  # raised where the result is taken
                future.set_exception(error)
            else:
                future.set_result(value)
            del future, fn, args, kwargs

    @override
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As of `concurrent.futures`."""
        self._is_closed = True
        if cancel_futures:
            for future, *_ in self._work:
                future.cancel()
            self._work.clear()
        while self._idle:
            SCHEDULER.wake(self._idle.popleft())
        if wait:
            for worker in self._workers:
                SCHEDULER.join(worker)


ThreadPoolExecutor.__module__ = "concurrent.futures.thread"  # what programs know it as


def install() -> None:
    """Replace the executor in the standard library's own modules."""
    concurrent.futures.ThreadPoolExecutor = ThreadPoolExecutor  # type: ignore[misc,assignment]
    concurrent.futures.thread.ThreadPoolExecutor = ThreadPoolExecutor  # type: ignore[misc,assignment]
