"""The host's side of the fork server: start it, take guests from it, replace it, end it.

Works on asyncio and trio. What must happen between two runs happens when a guest is taken or given
back; beside `keep_house`, a moment later, so that no result waits for it. It never reads what a
guest says, beyond the handshake.

Source: SANDBOX 1.1 to 1.7, 2.4.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Final

import anyio

from codemode.sandbox.cgroup import Cgroup, Group
from codemode.sandbox.errors import GuestLostError, JailError, SandboxUnavailableError
from codemode.sandbox.forkserver.generation import Generation
from codemode.sandbox.forkserver.guest import Exit, Guest, Spare
from codemode.sandbox.forkserver.launch import PACKAGES, make_order
from codemode.sandbox.isolation import IsolationReport, Required
from codemode.sandbox.limits import Limits, passed
from codemode.sandbox.values import Json

__all__ = ["Exit", "ForkServer", "Guest"]

_ATTEMPTS: Final = 3


class ForkServer:
    """A warm process that gives out jailed guests.

    Args:
        image: Module with `prepare(config)`, run once before anything is confined, `serve(fd)`,
            run in each guest with its end of the bridge as descriptor 3, and perhaps `settle()`,
            run once after the confinement, and `warm()`, run before `serve` in guests that are
            forked while no program runs.
        config: Given to `prepare`.
        required: The least isolation to serve with.
        ceilings: The greatest limits of any run; a waiting guest has them.
        spares: How many jailed guests wait when there is little to do; up to four times as many
            under load.
        max_guests: How many guests are out at once; further `acquire` calls queue.
        packages: Top-level packages that guests may import, beside the standard library and
            `codemode.sandbox`; found as the host would import them.
        cgroup: What all guests may use together.
        max_guests_served: After so many guests the process is replaced.
        max_age_s: After so long the process is replaced.
    """

    def __init__(
        self,
        *,
        image: str = "codemode.sandbox.guest.image",
        config: Mapping[str, Json] | None = None,
        required: Required = "B",
        ceilings: Limits | None = None,
        spares: int = 2,
        max_guests: int = 64,
        packages: Iterable[str] = PACKAGES,
        cgroup: Cgroup | None = None,
        max_guests_served: int = 20_000,
        max_age_s: float = 3_600.0,
    ) -> None:
        self._image = image
        self._config = dict(config or {})
        self._packages = tuple(packages)
        self._required: Required = required
        self._cgroup = cgroup
        self._group: Group | None = None
        self._ceilings = ceilings or Limits()
        self._spare_count = spares
        self._max_guests_served = max_guests_served
        self._max_age_s = max_age_s
        self._max_guests = max_guests
        self._current: Generation | None = None
        self._next: Generation | None = None
        self._alive: list[Generation] = []
        self._replace_at = 0.0
        self._report: IsolationReport | None = None
        self._is_closed = False
        self._given_back: anyio.Event | None = None

    @cached_property
    def _places(self) -> anyio.Semaphore:
        """Made at the first use: anyio takes a while to load, which a start is to hide."""
        return anyio.Semaphore(self._max_guests, fast_acquire=True)

    @property
    def report(self) -> IsolationReport:
        """The isolation that every guest has, as proven by the self-test.

        Raises:
            RuntimeError: `start` was not called.
        """
        if self._report is None:
            raise RuntimeError("the fork server was not started")
        return self._report

    async def start(self, meanwhile: Callable[[], object] | None = None) -> IsolationReport:
        """Start the fork server and prove its jail; idempotent.

        Args:
            meanwhile: Done while the process comes up, on another processor.

        Raises:
            SandboxUnavailableError: The required isolation cannot be had; nothing runs.
        """
        try:
            if self._current is None and self._next is None and not self._is_closed:
                self._next = self._spawn()
            if meanwhile is not None:
                meanwhile()
            await self._serving()
        except BaseException:
            await self._end_all()  # the caller has nothing to close yet
            raise
        return self.report

    async def acquire(self, limits: Limits) -> Guest:
        """Take a jailed guest that has these limits and no program yet.

        Waits for its turn while `max_guests` are out, first come, first served. The caller
        must `close` the guest.

        Raises:
            ValueError: A limit is above the ceilings.
            GuestLostError: No guest could be had; nothing ran, and a retry is safe.
            SandboxUnavailableError: The fork server had to be started again and cannot be.
        """
        self._judge(limits)
        await self._places.acquire()
        try:
            return await self._take(limits)
        except BaseException:
            self._places.release()
            raise

    async def keep_house(self) -> None:
        """Do what is due when a guest was given back, for as long as it is not cancelled."""
        try:
            while True:
                self._given_back = anyio.Event()
                await self._given_back.wait()
                for generation in self._alive:
                    generation.tidy()
        finally:
            self._given_back = None

    async def aclose(self) -> None:
        """Kill and reap every guest and the fork server; idempotent. Waiting tasks fail."""
        self._is_closed = True
        await self._end_all()

    async def _end_all(self) -> None:
        self._current = self._next = None
        while self._alive:
            generation = self._alive[-1]
            await generation.aclose()
            self._forget(generation)
        if self._group is not None:
            group, self._group = self._group, None
            await group.aclose()

    def _judge(self, limits: Limits) -> None:
        for name in ("memory_bytes", "cpu_s"):
            allowed: int = getattr(self._ceilings, name)
            if getattr(limits, name) > allowed:
                raise ValueError(f"above the sandbox's ceiling: {passed(name, allowed)}")

    async def _take(self, limits: Limits) -> Guest:
        lost: Exception | None = None
        for _ in range(_ATTEMPTS):
            generation = await self._serving()
            try:
                spare = await generation.take()
            except GuestLostError as error:
                if self._is_closed:
                    raise
                lost = error
                continue
            try:
                await spare.jailed()
                spare.lower(limits, self._ceilings)
            except JailError as error:
                lost = error
                generation.give_back(spare)
            except BaseException:
                generation.give_back(spare)
                raise
            else:
                return self._hand_out(generation, spare, limits)
        raise GuestLostError(f"no guest could be had in {_ATTEMPTS} attempts ({lost}); nothing ran")

    def _hand_out(self, generation: Generation, spare: Spare, limits: Limits) -> Guest:
        def release() -> None:
            generation.release(spare.id)
            self._places.release()
            if self._given_back is None:
                generation.tidy()
            else:
                self._given_back.set()

        return Guest(
            spare,
            cpu_limit_s=limits.cpu_s,
            reap=lambda: generation.reap(spare.id),
            release=release,
        )

    async def _serving(self) -> Generation:
        """The generation that gives out guests now; starts one when there is none."""
        while not self._is_closed:
            if self._current is not None and not self._current.is_lost:
                return self._consider_replacement(self._current)
            await self._start()
        raise GuestLostError("the fork server was closed")

    async def _start(self) -> None:
        """Make the next generation the current one.

        Any number of tasks may wait here; one that is cancelled leaves the start to the others.
        """
        if self._next is None:
            self._next = self._spawn()
        generation = self._next
        try:
            report = await generation.ready()
            if not report.satisfies(self._required):
                raise _unavailable(report, self._required)
        except SandboxUnavailableError:
            if self._next is generation:
                self._next = None
            await generation.aclose()
            self._forget(generation)
            raise
        if self._next is generation:
            self._next = None
            self._adopt(generation)

    def _spawn(self) -> Generation:
        if self._cgroup is not None and self._group is None:
            self._group = Group(self._cgroup)
        order = make_order(
            image=self._image,
            config=self._config,
            packages=self._packages,
            required=self._required,
            ceilings=self._ceilings,
        )
        generation = Generation(
            order,
            spares=self._spare_count,
            max_spares=4 * self._spare_count,
            group=self._group,
        )
        self._alive.append(generation)
        return generation

    def _forget(self, generation: Generation) -> None:
        if generation in self._alive:
            self._alive.remove(generation)

    def _adopt(self, generation: Generation) -> None:
        """Give out guests of this generation from now on."""
        self._current = generation
        self._report = generation.report
        self._replace_at = time.monotonic() + self._max_age_s
        generation.fill()

    def _consider_replacement(self, current: Generation) -> Generation:
        """Start the next generation when this one is worn out, and adopt it when it is ready.

        Returns:
            The generation that gives out guests from now on.
        """
        if len(self._alive) > 1:
            self._alive = [other for other in self._alive if not other.has_ended()]
        if self._next is None:
            if current.taken >= self._max_guests_served or time.monotonic() >= self._replace_at:
                self._next = self._spawn()
            return current
        self._next.drain()
        if self._next.is_lost:
            self._next = None  # the old one goes on, and the next acquire tries again
        elif (report := self._next.report) is not None:
            replacement, self._next = self._next, None
            if report.satisfies(self._required):
                current.retire()
                self._adopt(replacement)
                return replacement
            replacement.retire()
        return current


def _unavailable(report: IsolationReport, required: Required) -> SandboxUnavailableError:
    lacking = "; ".join(report.missing) or "unknown"
    return SandboxUnavailableError(
        f"isolation {required} was asked for, this machine gives {report.level}: {lacking}",
        missing=report.missing,
    )
