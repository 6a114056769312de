"""`Sandbox`: what people use. Plain functions in, an `Outcome` out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

import anyio
from anyio.abc import TaskGroup

from codemode.sandbox.backend import SandboxBackend
from codemode.sandbox.cgroup import Cgroup
from codemode.sandbox.control import RunControl
from codemode.sandbox.isolation import IsolationReport, Required
from codemode.sandbox.limits import Limits
from codemode.sandbox.local import LocalSandbox
from codemode.sandbox.patience import leave
from codemode.sandbox.program import (
    Binding,
    Files,
    OnOutput,
    Outcome,
    Policy,
    Program,
    judge_scratch,
)


class Sandbox:
    """Runs untrusted programs with named functions of the host, and nothing else of it.

    Use it as an async context manager, or call `start` and `aclose`; then a call that will not end
    when it is asked to holds its run back for longer than `limits.drain_s`.

    Args:
        policy: "restricted" refuses what the language policy refuses, with good messages; "none"
            runs plain Python inside the same jail.
        isolation: The least confinement to run with; see `IsolationReport`.
        limits: Of every run that names none. Its `memory_bytes` and `cpu_s` are ceilings too.
        spares: How many processes wait, jailed already, for a program.
        max_concurrent: How many programs run at once; further ones wait.
        packages: Packages that programs may import, with only the kernel as their boundary.
        modules: Pure Python modules of the host's that programs may import.
        cgroup: What all programs may use together, besides the limits of each.
        backend: Runs the programs instead of a local fork server; then all but `limits` is its own.
    """

    def __init__(
        self,
        *,
        policy: Policy = "restricted",
        isolation: Required = "B",
        limits: Limits | None = None,
        spares: int = 2,
        max_concurrent: int = 64,
        packages: Iterable[str] = (),
        modules: Iterable[str] = (),
        cgroup: Cgroup | None = None,
        backend: SandboxBackend | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._tasks: TaskGroup | None = None
        self._backend: SandboxBackend = backend or LocalSandbox(
            policy=policy,
            isolation=isolation,
            ceilings=limits,
            spares=spares,
            max_concurrent=max_concurrent,
            packages=packages,
            modules=modules,
            cgroup=cgroup,
        )

    @property
    def isolation(self) -> IsolationReport:
        """The confinement that every run has.

        Raises:
            RuntimeError: The sandbox was not started.
        """
        return self._backend.isolation

    async def __aenter__(self) -> Self:
        await self.start()
        if isinstance(self._backend, LocalSandbox):
            self._tasks = await anyio.create_task_group().__aenter__()
            self._backend.use(self._tasks)
            self._tasks.start_soon(self._backend.keep_house)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with anyio.CancelScope(shield=True):  # bounded: everything is killed before it is awaited
            await self.aclose()
        tasks, self._tasks = self._tasks, None
        if tasks is not None:
            await leave(tasks)  # calls that were left behind

    async def start(self) -> None:
        """Be ready to run; idempotent.

        Raises:
            SandboxUnavailableError: The isolation that was asked for cannot be had.
        """
        await self._backend.start()

    async def aclose(self) -> None:
        """End running programs as `abort`, reap everything, then return; idempotent."""
        await self._backend.aclose()

    async def run(
        self,
        program: str | Program,
        *,
        bindings: Mapping[str, Callable[..., Any] | Binding] | None = None,
        limits: Limits | None = None,
        on_output: OnOutput | None = None,
        files: Files | None = None,
        artifacts: Iterable[str] = (),
        seed: int | None = None,
        control: RunControl | None = None,
    ) -> Outcome:
        """Run a program to its end, whatever that is.

        Args:
            program: Its text, or the text with everything that goes with it.
            bindings: Functions by the name that the program calls; a dot makes a namespace. Plain
                functions run in a worker thread.
            limits: Of this run.
            on_output: Sees each piece of output as it is printed.
            files: Input files on the run's scratch tree; only with a text.
            artifacts: Globs of scratch files to read back; only with a text.
            seed: Makes the program's random numbers repeatable; only with a text.
            control: Made by the caller to abort or stop the run, or to hold its clock.

        Raises:
            ValueError: A binding's name, or a limit above the ceilings.
            TypeError: A file that is no bytes, or artifacts that are one text.
        """
        from codemode.sandbox.functions import as_binding  # here: see `local`

        if isinstance(program, str):
            judge_scratch(files or {}, artifacts)
            program = Program(
                source=program, files=files or {}, artifacts=tuple(artifacts), seed=seed
            )
        elif files is not None or tuple(artifacts) or seed is not None:
            raise ValueError(
                "files, artifacts and seed are attributes of the Program that is given"
            )
        return await self._backend.run(
            program,
            {name: as_binding(function) for name, function in (bindings or {}).items()},
            limits or self._limits,
            on_output,
            control,
        )
