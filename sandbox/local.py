"""The default backend: programs in jailed guests that a local fork server gives out. Linux only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import anyio
from anyio.abc import TaskGroup

from codemode.sandbox import naming
from codemode.sandbox.bridge.messages import Run
from codemode.sandbox.cgroup import Cgroup
from codemode.sandbox.control import RunControl
from codemode.sandbox.driver import DrivenGuest, Driver
from codemode.sandbox.errors import GuestLostError
from codemode.sandbox.forkserver.client import ForkServer
from codemode.sandbox.forkserver.guest import Guest
from codemode.sandbox.forkserver.launch import PACKAGES
from codemode.sandbox.isolation import IsolationReport, Required
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Binding, Failure, OnOutput, Outcome, Policy, Program, Usage
from codemode.sandbox.runs import CLOSED, Runs
from codemode.sandbox.text import encodable


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
        await self._server.start()

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


def make_run(
    program: Program, bindings: Mapping[str, Binding], limits: Limits, *, policy: Policy
) -> Run:
    """The message that starts `program`.

    Raises:
        ValueError: A glob of its artifacts leaves the scratch tree.
    """
    for pattern in program.artifacts:
        if ".." in pattern.split("/"):
            raise ValueError(f"artifacts {pattern!r}: a glob has no .. in it")
    return Run(
        source=encodable(program.source),
        filename=program.filename,
        policy=policy,
        error_name=program.error_name,
        seed=program.seed,
        clock=None if program.clock is None else float(program.clock),
        bindings=naming.rows(bindings),
        files=dict(program.files),
        artifacts=list(program.artifacts),
        limits=_whole(limits),
    )


@lru_cache(maxsize=64)
def _whole(limits: Limits) -> dict[str, int]:
    """The limits as a guest is told them, in whole units."""
    return {name: int(value) for name, value in limits.as_json().items()}


def outcome_of(driver: Driver, guest: DrivenGuest, isolation: IsolationReport) -> Outcome:
    """What a run that is over came to.

    Preconditions: the guest was not closed yet, so that what it used can still be asked for.
    """
    exited = driver.exit
    usage = Usage(
        wall_s=driver.wall_s,
        cpu_s=guest.cpu_s() if exited is None else exited.cpu_s,
        peak_memory_bytes=(
            driver.peak_memory_bytes if exited is None else exited.peak_memory_bytes
        ),
        waiting_s=driver.waiting_s,
        calls=driver.calls,
        bytes_in=driver.bytes_in,
        bytes_out=driver.bytes_out,
    )
    return Outcome(
        logs=driver.logs.entries(),
        has_result=driver.has_value,
        result=driver.value,
        failure=driver.failure,
        usage=usage,
        isolation=isolation,
        artifacts=driver.handover.files if driver.has_said_its_end else {},
        notices=tuple(driver.notices),
    )
