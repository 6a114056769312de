"""The steps of confinement, in order: two lists that can be read from top to bottom.

`confine` runs once in the fork server, `Jail.enter` in every guest. A layer that the
kernel refuses is recorded, never passed over in silence; the report decides whether to serve.

Source: SANDBOX 1.3, 1.4, 2.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from codemode.sandbox.jail import capabilities, landlock, namespaces, rlimits, seccomp
from codemode.sandbox.jail.descriptors import OnlyBridge
from codemode.sandbox.jail.syscalls import machine


@dataclass(slots=True)
class Layers:
    """What this fork server got so far.

    Attributes:
        missing: The layers that the kernel refused, with its reason.
    """

    userns: bool = False
    netns: bool = False
    pidns: bool = False
    mount: bool = False
    landlock_abi: int = 0
    seccomp: bool = False
    missing: list[str] = field(default_factory=list[str])

    def attempt(self, layer: str, step: Callable[[], None]) -> bool:
        """Take one step; record the layer as missing when the kernel refuses it."""
        try:
            step()
        except OSError as error:
            self.missing.append(f"{layer}: {error.strerror}")
            return False
        return True


@dataclass(frozen=True, slots=True)
class Confined:
    """What the fork server keeps open from before its file tree was emptied.

    Attributes:
        address_space: Descriptor of this process's /proc/self/statm.
        pids: Makes the guests' pid namespaces, where they can be had.
    """

    address_space: int
    pids: namespaces.PidNamespaces | None


def confine(layers: Layers, control: int) -> Confined:
    """What the fork server takes on itself and its guests inherit. May return in a new process.

    Preconditions: all that is to be imported has been; this process has one thread.

    Args:
        layers: Where the results are recorded.
        control: The control socket, which only the innermost process keeps.
    """
    # A user namespace first: it lends the capabilities for the others to an ordinary user.
    layers.userns = layers.attempt("user namespace", namespaces.enter_user)
    if layers.userns:
        # Stops: connections, abstract sockets, shared memory of other processes.
        layers.netns = layers.attempt("net, ipc and uts namespaces", namespaces.enter_net_ipc_uts)
        # Stops: seeing or signalling other processes; makes this one's end everybody's end.
        layers.pidns = layers.attempt(
            "pid namespace", lambda: namespaces.become_first_process(control)
        )
    confined = Confined(
        os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC),
        namespaces.PidNamespaces() if layers.pidns else None,
    )
    if layers.userns:
        # Stops: any path of the host, even for a guest without Landlock.
        layers.mount = layers.attempt("empty root", namespaces.empty_root)
    # Stops: a set-user-ID program lending privileges. Landlock and seccomp ask for it.
    capabilities.no_new_privileges()
    # Stops: paths, ports, signals and abstract sockets outside, even without namespaces.
    layers.attempt("Landlock", lambda: _landlock(layers))
    # Stops: core files, files, pinned memory.
    rlimits.inherit()
    return confined


def _landlock(layers: Layers) -> None:
    version = landlock.abi()
    landlock.restrict(version)
    layers.landlock_abi = version


class Jail:
    """What each guest takes on itself, prepared in the fork server.

    Args:
        memory_bytes: The greatest address space of any run, above the fork server's own.
        cpu_s: The greatest processor time of any run.

    Raises:
        OSError: This machine or kernel lacks a call that the jail needs.
    """

    __slots__ = ("_die", "_drop", "_filter", "_limits", "_only_bridge", "_parent")

    def __init__(self, *, memory_bytes: int, cpu_s: int, has_pid_namespaces: bool) -> None:
        here = machine()
        if here is None:
            raise OSError(38, f"no system call policy for {os.uname().machine}")
        # Seen from a pid namespace of its own, a guest's parent is 0.
        self._parent: Final = 0 if has_pid_namespaces else os.getpid()
        self._die = namespaces.prepare_die_with_parent()
        self._only_bridge = OnlyBridge()
        self._limits = rlimits.GuestLimits(memory_bytes=memory_bytes, cpu_s=cpu_s)
        self._drop = capabilities.prepare_drop()
        self._filter = seccomp.Filter(here)

    def enter(self, bridge: int, base_bytes: int) -> None:
        """Confine this freshly forked process for ever.

        Args:
            bridge: The descriptor that becomes number 3.
            base_bytes: Address space of the fork server at the fork.

        Raises:
            OSError: A step failed; the process must end at once.
        """
        # Stops: a guest that outlives its fork server.
        self._die()
        if os.getppid() != self._parent:
            raise OSError(3, "the fork server ended before the guest was jailed")
        # Stops: writing to the control socket, the host's terminal, another guest.
        self._only_bridge.apply(bridge)
        # Stops: using up memory, processor, descriptors, processes.
        self._limits.apply(base_bytes)
        # Stops: every call that asks for a privilege, also inside the user namespace.
        self._drop()
        # Stops: all other system calls. Last, since it would stop the steps above too.
        self._filter.install(os.getpid())
