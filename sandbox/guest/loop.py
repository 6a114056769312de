"""The guest's event loop: asyncio's tasks on a loop that waits for the bridge and nothing else.

A `BaseEventLoop` without selector, self-pipe and signal handlers, none of which the jail allows.
Where asyncio would poll, the loop parks its strand at the scheduler. What differs between the
versions of asyncio is in this module alone.
"""

from __future__ import annotations

import asyncio
import itertools
from asyncio import base_events, events, tasks
from collections.abc import Callable, Coroutine
from contextvars import Context
from types import CoroutineType
from typing import Any, Final

from codemode.sandbox.guest import order
from codemode.sandbox.guest.handles import Handle, is_answer
from codemode.sandbox.guest.scheduler import SCHEDULER, Alarm, Strand
from codemode.sandbox.guest.threads import name_worker
from codemode.sandbox.language.ownership import exact_type, expect
from codemode.sandbox.marks import override


class BridgeSelector:
    """What `BaseEventLoop` believes to be its selector: it waits by parking the strand."""

    def __init__(self) -> None:
        self._waiting: Strand | None = None
        self._alarm: Alarm | None = None

    def select(self, timeout: float | None) -> list[Any]:
        """Wait until the loop has something to do, at most `timeout` seconds."""
        if timeout is not None and timeout <= 0:
            SCHEDULER.breathe()
            return []
        me = self._waiting = SCHEDULER.current
        alarm = None if timeout is None else SCHEDULER.call_later(timeout, self.interrupt)
        SCHEDULER.park()
        if alarm is not None:
            alarm.cancel()
        self._waiting = None if self._waiting is me else self._waiting
        return []

    def interrupt(self) -> None:
        """Let the loop go on: it has been given something to do."""
        if self._waiting is not None:
            SCHEDULER.wake(self._waiting)

    def close(self) -> None:
        """Nothing is held."""


class GuestLoop(base_events.BaseEventLoop):
    """See the module."""

    _selector: BridgeSelector

    def __init__(self) -> None:
        super().__init__()
        self._selector = BridgeSelector()
        _made.append(self)

    def _process_events(self, event_list: list[Any]) -> None:
        """There are no file events."""

    def _write_to_self(self) -> None:
        self._selector.interrupt()

    def _call_soon(self, callback: Any, args: Any, context: Context | None) -> events.Handle:
        schedule: Any = getattr(super(), "_call_soon")  # noqa: B009  # not in the stubs
        handle: events.Handle = schedule(callback, args, context)
        self._selector.interrupt()
        return handle

    @override
    def create_task(self, coro: Any, **options: Any) -> asyncio.Task[Any]:
        """As asyncio's; a call that is scheduled leaves the guest at once."""
        if issubclass(type(coro), Handle):
            coro.submit()
        if exact_type(coro) is CoroutineType and coro.cr_code in _ENDING:
            return asyncio.Task(coro, loop=self)  # a program's factory does not see the end
        task = super().create_task(coro, **options)
        order.number(task)
        return task

    @override
    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """As asyncio's, which would tell a handler of the log the class of anything."""
        if (error := context.get("exception")) is not None:
            expect(error, BaseException)
        super().default_exception_handler(context)

    @override
    def run_until_complete(self, future: Any) -> Any:
        """As asyncio's; inside the running loop it goes on running that loop meanwhile."""
        if is_answer(future):
            return future
        if events._get_running_loop() is self:
            return pump(self, asyncio.ensure_future(future, loop=self))
        return super().run_until_complete(future)

    @override
    def run_in_executor(  # type: ignore[override]  # an executor is used by its `submit` alone
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Run `func` in a strand of its own, or in the executor that is given."""
        if executor is not None:
            return asyncio.wrap_future(executor.submit(func, *args), loop=self)
        future = self.create_future()
        number = next(number for number in itertools.count() if number not in _at_work)
        _at_work.add(number)

        def body() -> None:
            name_worker(f"asyncio_{number}")
            try:
                value = func(*args)
            except StopIteration as error:  # a future cannot hold one
                _settle(future, None, RuntimeError(f"the function raised {error!r}"))
            except BaseException as error:  # noqa: BLE001  # raised where the future is awaited
                _settle(future, None, error)
            else:
                _settle(future, value, None)
            finally:
                _at_work.discard(number)

        SCHEDULER.spawn(body)
        return future


#: What ends a loop, by its code.
_ENDING: Final = frozenset(
    end.__code__
    for end in (
        base_events.BaseEventLoop.shutdown_asyncgens,
        base_events.BaseEventLoop.shutdown_default_executor,
    )
)

#: The numbers of the workers that are busy: a new one takes the first that is free.
_at_work: Final[set[int]] = set()


def _settle(future: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if future.done():  # cancelled meanwhile
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)


_made: Final[list[GuestLoop]] = []


def latest() -> GuestLoop | None:
    """The loop that was made last, if it is still open."""
    return _made[-1] if _made and not _made[-1].is_closed() else None


def pump(loop: Any, task: asyncio.Future[Any]) -> Any:
    """Run `loop`, which is running, from inside one of its tasks until `task` is done.

    The other tasks go on; a loop of its own for `task` would freeze them.
    """
    outer = tasks.current_task(loop)
    if outer is not None:
        tasks._leave_task(loop, outer)
    try:
        while not task.done():
            loop._run_once()
        return task.result()
    finally:
        if outer is not None:
            tasks._enter_task(loop, outer)


def _of_events(name: str) -> Any:
    """What 3.14 has under a private name, since the public one is on its way out."""
    return getattr(events, f"_{name}", None) or getattr(events, name)


class Policy(_of_events("BaseDefaultEventLoopPolicy")):  # type: ignore[misc]  # see there
    """Makes every new loop a `GuestLoop`."""

    _loop_factory = GuestLoop


_run: Final = asyncio.run


def run(main: Coroutine[Any, Any, Any], **options: Any) -> Any:
    """As `asyncio.run`, inside a running loop too, and of a call that has its answer already."""
    if is_answer(main):
        return main
    loop = events._get_running_loop()
    if loop is None:
        return _run(main, **options)
    if not asyncio.iscoroutine(main):
        raise ValueError(f"a coroutine was expected, got {main!r}")
    return pump(loop, loop.create_task(main))


def install() -> None:
    """Make asyncio use this loop, for the program and for the standard library alike."""
    _of_events("set_event_loop_policy")(Policy())
    asyncio.run = run
    order.install()
