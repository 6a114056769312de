"""Namespaces: what a guest can see at all. Made once in the fork server, but for the process ids.

Creating all of them takes about 10 ms, a pid namespace alone about 10 us, so that each guest gets
a pid namespace of its own. For that the fork server must itself be process 1 of a pid namespace
that its user namespace owns.

Source: namespaces(7), user_namespaces(7), pid_namespaces(7), pivot_root(2).
"""

from __future__ import annotations

import os
import signal
from typing import Final

from codemode.sandbox.jail.kernel import Prepared, call, fork

_NEWNS: Final = 0x0002_0000
_NEWUTS: Final = 0x0400_0000
_NEWIPC: Final = 0x0800_0000
_NEWUSER: Final = 0x1000_0000
_NEWPID: Final = 0x2000_0000
_NEWNET: Final = 0x4000_0000

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_REMOUNT, _MS_REC, _MS_PRIVATE = 0x20, 0x4000, 0x4_0000
_MNT_DETACH: Final = 2

_SET_PDEATHSIG: Final = 1

#: Where the empty root is put together; any folder that exists will do.
_MOUNT_POINTS: Final = ("/tmp", "/var", "/usr", "/etc")  # noqa: S108 - covered, not written to


def enter_user() -> None:
    """Move this process to a user namespace that holds only its own user and group.

    Raises:
        OSError: User namespaces are switched off, or their number is used up.
    """
    user, group = os.geteuid(), os.getegid()
    call("unshare", _NEWUSER)
    # A group map without privilege is accepted only after setgroups(2) was given up.
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)


def enter_net_ipc_uts() -> None:
    """No interface (not even a loopback that is up), no System V objects, no host name."""
    call("unshare", _NEWNET | _NEWIPC | _NEWUTS)


def become_first_process(control: int) -> None:
    """Go on as process 1 of a new pid namespace; the caller's process stays to wait for it.

    When process 1 ends, the kernel kills all that it forked. Returns only in the new process.

    Args:
        control: Closed in the waiting process, so that the end of the new one shows at once.

    Raises:
        OSError: The namespace or the process cannot be had.
    """
    call("unshare", _NEWPID)
    first = os.fork()
    if first:
        os.close(control)
        status = os.waitpid(first, 0)[1]
        os._exit(0 if status == 0 else 1)
    die_with_parent()


def empty_root() -> None:
    """Replace the file tree by an empty one that cannot be written to.

    Preconditions: everything that is to be imported or opened has been.

    Raises:
        OSError: The kernel refused a step; the tree may be half replaced.
    """
    call("unshare", _NEWNS)
    _mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE)
    place = next(place for place in _MOUNT_POINTS if os.path.isdir(place))
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    _mount(b"none", place.encode(), b"tmpfs", flags, b"size=4k,nr_inodes=4,mode=0555")
    os.chdir(place)
    call("pivot_root", b".", b".")  # stacks the old root on the new one
    call("umount2", b".", _MNT_DETACH)
    os.chdir("/")
    _mount(b"none", b"/", None, _MS_REMOUNT | _MS_RDONLY | flags)


def _mount(
    source: bytes, target: bytes, kind: bytes | None, flags: int, data: bytes | None = None
) -> None:
    call("mount", source, target, kind, flags, data)


class PidNamespaces:
    """Gives each forked guest a pid namespace of its own.

    Preconditions: this process is the first of a pid namespace, and /proc is still in place.

    Raises:
        OSError: The namespace's descriptor cannot be opened.
    """

    __slots__ = ("_home", "_leave", "_return")

    def __init__(self) -> None:
        self._home = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self._leave = Prepared("unshare", _NEWPID)
        self._return = Prepared("setns", self._home, _NEWPID)

    def fork(self) -> int:
        """As `kernel.fork`; the child is process 1 of its own namespace.

        Raises:
            OSError: No namespace or process can be had.
        """
        self._leave()
        pid = -1
        try:
            pid = fork()
        finally:
            if pid:
                self._return()
        return pid


def prepare_die_with_parent() -> Prepared:
    """A call that asks for a SIGKILL when the thread that forked this process ends."""
    return Prepared("prctl", _SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def die_with_parent() -> None:
    """Be killed when the thread that forked this process ends."""
    prepare_die_with_parent()()
