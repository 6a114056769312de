"""Orders that would follow the addresses of objects: asyncio's sets of tasks, sets of futures.

A program sees these orders in what is cancelled, completed or listed first. Here they are those of
creation or of the arguments, so that a run can be repeated.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from asyncio import events, taskgroups, tasks
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any, Final
from weakref import WeakKeyDictionary

from codemode.sandbox.marks import override

_wait: Final = asyncio.wait
_as_completed: Final = asyncio.as_completed
_all_tasks: Final = asyncio.all_tasks

_numbers: Final = count(1)
_born: Final[WeakKeyDictionary[asyncio.Task[Any], int]] = WeakKeyDictionary()


def number(task: asyncio.Task[Any]) -> None:
    """Remember when a task was made."""
    _born[task] = next(_numbers)


class OrderedSet(set[Any]):
    """A set that is iterated in the order of insertion."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        order = dict.fromkeys(items)
        super().__init__(order)  # raises if `self` is no set
        self._order = order

    @override
    def __iter__(self) -> Iterator[Any]:
        held: frozenset[Any] = frozenset(self)  # copies the set itself, not by this method
        return iter([item for item in self._order if item in held])

    @override
    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}" if self else "set()"

    @override
    def add(self, item: Any) -> None:
        """Add at the end."""
        self._order.setdefault(item)
        super().add(item)

    @override
    def discard(self, item: Any) -> None:
        """Take it out."""
        self._order.pop(item, None)
        super().discard(item)

    @override
    def pop(self) -> Any:
        """Take the first."""
        for item in self:
            self.discard(item)
            return item
        raise KeyError("pop from an empty set")


# What programs know it as.
OrderedSet.__module__, OrderedSet.__name__, OrderedSet.__qualname__ = "builtins", "set", "set"


async def wait(fs: Iterable[Any], **options: Any) -> tuple[set[Any], set[Any]]:
    """As `asyncio.wait`; both sets keep the order in which the futures were given."""
    given = list(dict.fromkeys(fs))
    done, pending = await _wait(given, **options)
    return (
        OrderedSet(one for one in given if one in done),
        OrderedSet(one for one in given if one in pending),
    )


def as_completed(fs: Iterable[Any], **options: Any) -> Any:
    """As `asyncio.as_completed`; what is not scheduled yet is scheduled in the order given."""
    if events._get_running_loop() is not None and not asyncio.iscoroutine(fs):
        fs = [asyncio.ensure_future(one) for one in dict.fromkeys(fs)]
    return _as_completed(fs, **options)


def all_tasks(loop: Any = None) -> set[Any]:
    """As `asyncio.all_tasks`, the oldest first."""
    return OrderedSet(sorted(_all_tasks(loop), key=lambda task: _born.get(task, 0)))


class TaskGroup(taskgroups.TaskGroup):
    """As of `asyncio`: it cancels the oldest first."""

    def __init__(self) -> None:
        super().__init__()
        self._tasks = OrderedSet()


class Future(concurrent.futures.Future[Any]):
    """As of `concurrent.futures`: a set of them is in an order that each run has."""

    def __init__(self) -> None:
        super().__init__()
        self._number = next(_numbers)

    @override
    def __hash__(self) -> int:
        return self._number


def install() -> None:
    """Replace what asyncio and programs use."""
    for name in ("wait", "as_completed", "all_tasks"):
        for module in (asyncio, tasks):
            setattr(module, name, globals()[name])
    for module in (asyncio, taskgroups):
        setattr(module, "TaskGroup", TaskGroup)  # noqa: B010  # one class for another
