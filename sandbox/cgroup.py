"""A control group over all guests of one sandbox: what they may use together.

Each guest has limits of its own anyway; this one keeps many of them from taking the machine. It is
asked for and then had, or the sandbox does not start. Nothing of it is ever seen by a guest.

Source: cgroups(7), the kernel's cgroup-v2 document; SANDBOX 3.5.
"""

from __future__ import annotations

import errno
import fcntl
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

from codemode.sandbox.errors import SandboxUnavailableError

#: How the groups made here are called; whoever holds the lock of one lives.
_PREFIX: Final = "codemode-"
_PERIOD_US: Final = 100_000
#: The kernel takes no quota below.
_LEAST_CPUS: Final = 0.01
#: A fork server is two processes, its self-test seven, and a replacement starts beside it.
_LEAST_PROCESSES: Final = 20
_LEAST_MEMORY_BYTES: Final = 64 << 20
#: Ends of processes that the kernel has still to book are waited for so often, and so long.
_ATTEMPTS: Final = 100
_PAUSE_S: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Cgroup:
    """What all guests of a sandbox may use together, their fork server included.

    Attributes:
        parent: A directory of cgroup v2 that this process may write to and that holds no process
            itself, such as one that systemd delegates. The group is made in it, and removed.
        memory_bytes: At least 64 MiB; swap is not given. None: no limit of its own, as below.
        processes: At least 20; a guest is one.
        cpus: Processor time, in processors, such as 1.5.

    Raises:
        ValueError: A limit is too small, or there is none at all.
    """

    parent: Path
    memory_bytes: int | None = None
    processes: int | None = None
    cpus: float | None = None

    def __post_init__(self) -> None:
        least = (
            ("memory_bytes", self.memory_bytes, _LEAST_MEMORY_BYTES),
            ("processes", self.processes, _LEAST_PROCESSES),
            ("cpus", self.cpus, _LEAST_CPUS),
        )
        for name, value, bound in least:
            if value is not None and not bound <= value < math.inf:
                raise ValueError(f"cgroup {name}: {value!r} is not at least {bound:,}")
        if all(value is None for _, value, _ in least):
            raise ValueError("a cgroup limits something: memory_bytes, processes or cpus")

    def settings(self) -> Iterator[tuple[str, str]]:
        """The control files and what is written to them."""
        if self.memory_bytes is not None:
            page = os.sysconf("SC_PAGESIZE")
            yield "memory.max", str(self.memory_bytes // page * page)
            yield "memory.swap.max", "0"
        if self.processes is not None:
            yield "pids.max", str(self.processes)
        if self.cpus is not None:
            yield "cpu.max", f"{round(self.cpus * _PERIOD_US)} {_PERIOD_US}"


class Group:
    """A control group that exists, with its limits in force.

    Raises:
        SandboxUnavailableError: It cannot be had, or not with these limits; the message says what
            is in the way.
    """

    def __init__(self, wanted: Cgroup) -> None:
        parent = wanted.parent
        try:
            _enable(parent, sorted({name.partition(".")[0] for name, _ in wanted.settings()}))
            _remove_orphans(parent)
            self.path, self._lock = _make(parent)
        except OSError as error:
            raise _unavailable(parent, error.strerror or str(error)) from error
        try:
            for name, value in wanted.settings():
                self._limit(name, value)
        except SandboxUnavailableError:
            self._try_to_remove()
            os.close(self._lock)
            raise

    def _limit(self, name: str, value: str) -> None:
        file = self.path / name
        if name == "memory.swap.max" and not file.exists():
            return  # this kernel accounts for no swap, or has none
        try:
            _write(file, value)
            taken = file.read_text().strip()
        except OSError as error:
            raise _unavailable(file, error.strerror or str(error)) from error
        if taken != value:
            raise _unavailable(file, f"the kernel made {taken} of {value}")

    def add(self, pid: int) -> None:
        """Put a process, and whatever it forks from now on, under the limits.

        Raises:
            SandboxUnavailableError: The kernel refused it.
        """
        try:
            _write(self.path / "cgroup.procs", str(pid))
        except OSError as error:
            raise _unavailable(self.path / "cgroup.procs", error.strerror or str(error)) from error

    async def aclose(self) -> None:
        """Remove the group; what is left of its processes is killed. Idempotent."""
        if self._lock < 0:
            return
        for _ in range(_ATTEMPTS):
            if self._try_to_remove():
                break
            await anyio.sleep(_PAUSE_S)
        os.close(self._lock)  # if it is there still, the next one made beside it removes it
        self._lock = -1

    def _try_to_remove(self) -> bool:
        try:
            self.path.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            _kill_all(self.path)
            return False
        return True


def _enable(parent: Path, controllers: list[str]) -> None:
    """Let the children of `parent` be limited by these controllers."""
    if not (parent / "cgroup.controllers").is_file():
        raise OSError(errno.ENOTDIR, "it is no directory of cgroup v2")
    is_root = not (parent / "cgroup.type").exists()
    if not is_root and (parent / "cgroup.procs").read_text():
        text = "it holds processes itself, so that its children cannot be limited"
        raise OSError(errno.EBUSY, text)
    offered = (parent / "cgroup.controllers").read_text().split()
    enabled = (parent / "cgroup.subtree_control").read_text().split()
    for name in controllers:
        if name in enabled:
            continue
        if name not in offered:
            raise OSError(errno.ENOENT, f"it was not given the controller {name}")
        _write(parent / "cgroup.subtree_control", f"+{name}")


def _make(parent: Path) -> tuple[Path, int]:
    """A new group, and the descriptor whose lock says that its maker lives."""
    while True:
        path = parent / f"{_PREFIX}{os.urandom(8).hex()}"
        path.mkdir()
        lock = _locked(path)
        if lock is not None:
            if path.exists():
                return path, lock
            os.close(lock)  # another has taken it for an orphan in between


def _remove_orphans(parent: Path) -> None:
    """Remove the groups whose makers were killed."""
    for path in parent.glob(f"{_PREFIX}*"):
        lock = _locked(path)
        if lock is not None:
            _kill_all(path)  # a fork server ends with its host by itself
            try:
                path.rmdir()
            except OSError:
                continue  # its processes are still ending: the next one removes it
            finally:
                os.close(lock)


def _locked(path: Path) -> int | None:
    """A descriptor that holds the lock of a group; None when its maker has it, or it is gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _kill_all(path: Path) -> None:
    try:
        _write(path / "cgroup.kill", "1")
    except OSError:
        return  # before Linux 5.14, or gone: its processes end with their host's socket


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)  # never made: a control file exists
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _unavailable(path: Path, reason: str) -> SandboxUnavailableError:
    missing = f"cgroup v2: {path}: {reason}"
    return SandboxUnavailableError(
        f"the cgroup cannot be had: {path}: {reason}", missing=(missing,)
    )
