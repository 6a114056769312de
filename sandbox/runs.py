"""The runs of a backend that go on, so that closing it ends each of them and waits for it.

Says who runs and nothing of how. A run that begins after the end is refused, never left behind.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import anyio

from codemode.sandbox.control import RunControl

#: Why a run that closing has ended was aborted, and one that came later refused.
CLOSED: Final = "the sandbox was closed"


class Runs:
    """The runs of one backend.

    Attributes:
        is_closed: No further run may begin.
    """

    def __init__(self) -> None:
        self.is_closed = False
        self._going: set[RunControl] = set()
        self._idle: anyio.Event | None = None  # somebody waits for the last run to end

    @contextmanager
    def going(self, control: RunControl | None) -> Generator[RunControl]:
        """One run, from its beginning to its end; gives its handle, a new one if it has none.

        Raises:
            RuntimeError: After `aclose`.
        """
        if self.is_closed:
            raise RuntimeError(CLOSED)
        control = control or RunControl()
        self._going.add(control)
        try:
            yield control
        finally:
            self._going.discard(control)
            if not self._going and self._idle is not None:
                self._idle.set()

    async def aclose(self) -> None:
        """Abort every run, and return when the last has ended; idempotent."""
        self.is_closed = True
        if self._going:
            self._idle = anyio.Event()
            for control in tuple(self._going):
                control.abort(CLOSED)
            await self._idle.wait()
