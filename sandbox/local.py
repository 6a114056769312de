"""The default backend: programs in jailed guests that a local fork server gives out. Linux only.

What a run needs of this process is imported while the fork server comes up, in `start`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module

import anyio
from anyio.abc import TaskGroup

from codemode.sandbox.cgroup import Cgroup
from codemode.sandbox.control import RunControl
from codemode.sandbox.errors import GuestLostError
from codemode.sandbox.forkserver.client import ForkServer
from codemode.sandbox.forkserver.guest import Guest
from codemode.sandbox.forkserver.launch import PACKAGES
from codemode.sandbox.isolation import IsolationReport, Required
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Binding, Failure, OnOutput, Outcome, Policy, Program
from codemode.sandbox.runs import CLOSED, Runs


class LocalSandbox:
    """Runs each program in a jailed process of its own on this machine.

    Args:
        policy: Language policy of every program: "none" leaves the jail as the only layer.
        isolation: The least confinement to serve with.
        ceilings: The greatest `memory_bytes` and `cpu_s` of any run.
        spares: How many guests wait, jailed already, for a program.
        max_concurrent: How many programs run at once; further ones wait.
        packages: Packages that programs may import, with only the kernel as their boundary.
        modules: Pure modules of the host's that programs may import.
        cgroup: What all programs may use together, besides the limits of each.
    """

    def __init__(
        self,
        *,
        policy: Policy = "restricted",
        isolation: Required = "B",
        ceilings: Limits | None = None,
        spares: int = 2,
        max_concurrent: int = 64,
        packages: Iterable[str] = (),
        modules: Iterable[str] = (),
        cgroup: Cgroup | None = None,
    ) -> None:
        packages, modules = tuple(packages), tuple(modules)
        self._policy: Policy = policy
        self._server = ForkServer(
            config={"packages": list(packages), "modules": list(modules), "policy": policy},
            required=isolation,
            ceilings=ceilings,
            spares=spares,
            max_guests=max_concurrent,
            packages=(*PACKAGES, *(name.partition(".")[0] for name in (*packages, *modules))),
            cgroup=cgroup,
        )
        self._tasks: TaskGroup | None = None
        self._runs = Runs()

    @property
    def isolation(self) -> IsolationReport:
        """The confinement that every run has.

        Raises:
            RuntimeError: `start` was not called.
        """
        return self._server.report

    def use(self, tasks: TaskGroup) -> None:
        """Have calls live here: see `Driver`."""
        self._tasks = tasks

    async def keep_house(self) -> None:
        """Do what is due between two runs, until cancelled; without it a result waits for that."""
        await self._server.keep_house()

    async def start(self) -> None:
        """Start the fork server and prove the jail; idempotent.

        Raises:
            SandboxUnavailableError: The isolation that was asked for cannot be had.
        """
        await self._server.start(meanwhile=lambda: import_module("codemode.sandbox.driving"))

    async def run(
        self,
        program: Program,
        bindings: Mapping[str, Binding],
        limits: Limits,
        on_output: OnOutput | None = None,
        control: RunControl | None = None,
    ) -> Outcome:
        """Run `program` to its end, whatever that is.

        Raises:
            ValueError: A binding's name, a glob of the artifacts, or a limit above the ceilings.
            RuntimeError: The sandbox was closed.
            SandboxUnavailableError: The isolation cannot be had.
        """
        from codemode.sandbox import naming
        from codemode.sandbox.driver import Driver
        from codemode.sandbox.driving import make_run, outcome_of

        with self._runs.going(control) as going:
            granted = naming.check(bindings, program.error_name)
            message = make_run(program, bindings, limits, policy=self._policy)
            guest = await self._acquire(limits, going)
            if isinstance(guest, Failure):
                return Outcome(failure=guest, isolation=self._server.report)
            driver = Driver(guest, granted, limits, on_output, going, self._tasks)
            try:
                await driver.run(message)
                return outcome_of(driver, guest, self._server.report)
            finally:
                guest.close()

    async def _acquire(self, limits: Limits, control: RunControl) -> Guest | Failure:
        """A guest for the run, unless the caller gives the run up while it waits for one."""
        with anyio.CancelScope() as waiting:
            control.attach(lambda: waiting.cancel() if control.end is not None else None)
            try:
                return await self._server.acquire(limits)
            except GuestLostError as error:
                if not self._runs.is_closed:
                    return Failure(kind="crash", message=str(error))
        return control.end or Failure(kind="abort", message=CLOSED)

    async def aclose(self) -> None:
        """End running programs as `abort`, reap everything, then return; idempotent."""
        await self._runs.aclose()
        await self._server.aclose()
