"""The caller's handle on a running program: to end it, to hold its clock, to record or feed it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager

from codemode.sandbox.program import Failure
from codemode.sandbox.timeline import Timeline


class RunControl:
    """Made by the caller, honoured by the backend.

    All methods are synchronous and may be called from the event loop's thread only.

    Attributes:
        timeline: Records what reaches the program, or feeds it from a record; set before the run.
    """

    __slots__ = ("_held", "_listener", "aborted", "stopped", "timeline")

    def __init__(self) -> None:
        self.aborted: str | None = None
        self.stopped: str | None = None
        self.timeline: Timeline | None = None
        self._held = 0
        self._listener: Callable[[], None] = _nobody

    def abort(self, reason: str) -> None:
        """End the run with the failure kind `abort`."""
        if self.aborted is None:
            self.aborted = reason
            self._listener()

    def stop(self, reason: str) -> None:
        """End the run with the failure kind `stopped`."""
        if self.stopped is None:
            self.stopped = reason
            self._listener()

    @property
    def end(self) -> Failure | None:
        """How the caller has ended the run; None while it goes on."""
        if self.aborted is not None:
            return Failure(kind="abort", message=self.aborted)
        return None if self.stopped is None else Failure(kind="stopped", message=self.stopped)

    @property
    def is_held(self) -> bool:
        """Whether somebody waits for a person right now."""
        return self._held > 0

    def hold(self) -> AbstractContextManager[None]:
        """Do not charge the time inside to `wall_s` (it counts for `total_wall_s`)."""
        return self._hold()

    @contextmanager
    def _hold(self) -> Generator[None]:
        self._held += 1
        self._listener()
        try:
            yield
        finally:
            self._held -= 1
            self._listener()

    def attach(self, listener: Callable[[], None]) -> None:
        """For the backend: be told of every change."""
        self._listener = listener


def _nobody() -> None:
    """The listener of a control that no backend has attached to yet."""
