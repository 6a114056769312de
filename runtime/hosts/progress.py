"""Telling an MCP client that asked for it how far its call is: a word for each nested call.

Source: Model Context Protocol, "Progress".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Final
from weakref import WeakSet

import anyio

from codemode.runtime.execution import Execution
from codemode.runtime.result import Result
from codemode.runtime.scope import Scope

#: As often as a person can read, however fast a program calls.
_GAP_S: Final = 0.2

#: `(calls so far, None, a word)`: there is no total to be known.
Report = Callable[[float, float | None, str | None], Awaitable[None]]


class Progress:
    """How far one call is."""

    def __init__(self) -> None:
        self._calls = 0
        self._word = ""
        self._changed = anyio.Event()

    def note(self, name: str, *, is_error: bool) -> None:
        """A nested call has settled."""
        self._calls += 1
        self._word = f"{name} failed" if is_error else name
        self._changed.set()

    async def tell(self, report: Report) -> None:
        """Report what has changed, until cancelled."""
        while True:
            await self._changed.wait()
            self._changed = anyio.Event()
            count = f"{self._calls} call{'' if self._calls == 1 else 's'}"
            await report(self._calls, None, f"{count}, last {self._word}")
            await anyio.sleep(_GAP_S)


#: Of the call that is being served; None where nobody wants to know.
progress: Final[ContextVar[Progress | None]] = ContextVar("progress", default=None)
_watched: Final[WeakSet[Scope]] = WeakSet()


def watch(scope: Scope) -> None:
    """Let the calls of a scope be noted; idempotent."""
    if scope not in _watched:
        _watched.add(scope)
        scope.add("observer", _note)


def _note(execution: Execution, result: Result) -> None:
    mine = progress.get()
    if mine is not None and execution.is_nested:
        mine.note(execution.name, is_error=result.is_error)
