"""The seam between who has a program and what runs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from codemode.sandbox.control import RunControl
from codemode.sandbox.isolation import IsolationReport
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Binding, OnOutput, Outcome, Program


class SandboxBackend(Protocol):
    """Runs programs. `LocalSandbox` and the in-memory twin pass one contract suite."""

    @property
    def isolation(self) -> IsolationReport:
        """The confinement that every run of this backend has."""
        ...

    async def start(self) -> None:
        """Be ready to run; idempotent.

        Raises:
            SandboxUnavailableError: The required isolation cannot be had.
        """
        ...

    async def run(
        self,
        program: Program,
        bindings: Mapping[str, Binding],
        limits: Limits,
        on_output: OnOutput | None = None,
        control: RunControl | None = None,
    ) -> Outcome:
        """Run `program` to its end. Raises only for misuse; see `Outcome.failure`."""
        ...

    async def aclose(self) -> None:
        """End running programs as `abort`, reap everything, then return; idempotent."""
        ...
