"""Starts a fork server process: an exec with nothing of the host in it but the control socket.

A fork would carry the host's keys in its heap and its initial stack. The environment is one
variable; the paths of the packages that guests may import are given by name.

Source: SANDBOX 1.1.
"""

from __future__ import annotations

import importlib.util
import json
import os
import py_compile
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import codemode.sandbox
from codemode.sandbox.cgroup import Group
from codemode.sandbox.errors import SandboxUnavailableError
from codemode.sandbox.isolation import Required
from codemode.sandbox.jail.personality import fixed_layout
from codemode.sandbox.limits import Limits
from codemode.sandbox.values import Json

#: 0 would do as well; what matters is that every run and every replay has the same set order.
_HASH_SEED: Final = "1"

#: What every guest needs beside the standard library and codemode.sandbox itself.
PACKAGES: Final = ("msgpack", "RestrictedPython", "greenlet")

_NO_GROUP: Final = "cgroup v2: not asked for, so nothing limits all guests together"


@dataclass(frozen=True, slots=True)
class Launched:
    """A started fork server process.

    Attributes:
        control: The host's end of the control socket, non-blocking.
        pidfd: Readable once the process has ended.
        missing: What is not as it should be, without being a layer of the boundary.
    """

    process: subprocess.Popen[bytes]
    control: socket.socket
    pidfd: int
    missing: tuple[str, ...]


def make_order(
    *,
    image: str,
    config: Mapping[str, Json],
    packages: Iterable[str],
    required: Required,
    ceilings: Limits,
) -> bytes:
    """What a fork server is told, as JSON.

    The opt-in packages that `config` names come with all that they require.

    Raises:
        SandboxUnavailableError: A package is not installed.
    """
    sandbox = os.path.realpath(next(iter(codemode.sandbox.__path__)))
    if not sys.dont_write_bytecode:
        cache_bytecode(Path(sandbox))
    environment: dict[str, str] = {}
    if opt_in := config.get("packages"):
        from codemode.sandbox.forkserver.packages import ONE_THREAD, with_dependencies

        roots = (str(name).partition(".")[0] for name in cast("list[str]", opt_in))
        packages = dict.fromkeys((*packages, *with_dependencies(roots)))
        environment = ONE_THREAD
    order = {
        "sandbox": sandbox,
        "environment": environment,
        "packages": {name: _origin(name) for name in packages},
        "image": image,
        "config": dict(config),
        "required": required,
        "memory_bytes": ceilings.memory_bytes,
        "cpu_s": ceilings.cpu_s,
    }
    return json.dumps(order).encode()


def cache_bytecode(folder: Path) -> None:
    """Compile the modules of `folder` that have no current bytecode beside them.

    The fork server writes none, and most of its modules no other process imports: in a checkout
    that nobody has compiled, every start would compile them again, for half a second.
    """
    for source in folder.rglob("*.py"):
        cached = Path(importlib.util.cache_from_source(str(source)))
        try:
            if not cached.exists() or cached.stat().st_mtime < source.stat().st_mtime:
                py_compile.compile(str(source), quiet=2)
        except OSError:
            return  # a place that is not ours to write to: the start is slower, that is all


def launch(order: bytes, group: Group | None = None) -> Launched:
    """Start a fork server. Takes about 2 ms; the caller then waits for its report.

    Args:
        order: See `make_order`.
        group: What the process, and all that it forks, belongs to.

    Raises:
        SandboxUnavailableError: This is not Linux, the interpreter cannot be started, or the group
            does not take it.
    """
    if sys.platform != "linux":
        raise SandboxUnavailableError(
            f"the fork server needs Linux; this is {sys.platform}", missing=("Linux",)
        )
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        try:
            with fixed_layout() as refusal:
                process = _start(theirs.fileno())
        except OSError as error:
            ours.close()
            raise SandboxUnavailableError(f"cannot start the interpreter: {error}") from error
    try:
        pidfd = _take_hold(process.pid, group)
    except SandboxUnavailableError:
        ours.close()
        process.kill()
        process.wait()
        raise
    _send_order(ours, order)
    ours.setblocking(False)
    missing = (refusal, None if group else _NO_GROUP)
    return Launched(process, ours, pidfd, tuple(filter(None, missing)))


def _take_hold(pid: int, group: Group | None) -> int:
    """A descriptor for the process, which has been put into its group before it does anything."""
    if group is not None:
        group.add(pid)
    try:
        return os.pidfd_open(pid)
    except OSError as error:  # before Linux 5.3, or refused by a container's filter
        raise SandboxUnavailableError(
            f"no descriptors for processes: {error}", missing=(f"pidfd_open: {error.strerror}",)
        ) from error


def _start(control: int) -> subprocess.Popen[bytes]:
    boot = Path(os.path.realpath(next(iter(codemode.sandbox.__path__)))) / "forkserver" / "boot.py"
    return subprocess.Popen(  # noqa: S603 - our own interpreter and our own program
        # -I and -E would ignore the hash seed.
        [sys.executable, "-P", "-s", "-S", "-B", str(boot), str(control)],
        env={"PYTHONHASHSEED": _HASH_SEED},
        pass_fds=[control],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,  # a terminal's ^C is the host's to handle
    )


def _send_order(control: socket.socket, order: bytes) -> None:
    """Send the order in a file of memory: it may be larger than a packet."""
    memory = os.memfd_create("order", os.MFD_CLOEXEC)
    try:
        with open(memory, "wb", closefd=False) as file:
            file.write(order)
        os.lseek(memory, 0, os.SEEK_SET)
        socket.send_fds(control, [b"O"], [memory])
    except BrokenPipeError:
        return  # it ended at once: seen as the end of the control socket
    finally:
        os.close(memory)


def _origin(name: str) -> str:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or not os.path.isabs(spec.origin):
        raise SandboxUnavailableError(
            f"the package {name} is not installed", missing=(f"package {name}",)
        )
    return os.path.realpath(spec.origin)
