"""What a program is told of the machine, its user and its process; and what it is refused.

The answers are constants: the real ones are the host's business, and the kernel kills a guest that
asks for them. A refusal is a PermissionError that names the way that is open.
"""

from __future__ import annotations

import errno
import grp
import os
import pwd
import time
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType
from typing import Any, Final, NoReturn

from codemode.sandbox.guest.scratch.nodes import GID, UID, failure

USER: Final = "user"
HOME: Final = "/home/user"
PID: Final = 2
CPUS: Final = 1

_USER: Final = pwd.struct_passwd((USER, "x", UID, GID, USER, HOME, "/bin/sh"))
_GROUP: Final = grp.struct_group((USER, "x", GID, []))
_UNAME: Final = ("Linux", "sandbox", "", "", os.uname().machine)

_PROCESSES: Final = "the sandbox starts no processes; call the tools that the program was given"
_OTHERWISE: Final = "not available in the sandbox"
_PROCESS_NAMES: Final = """
    popen system fork forkpty vfork kill killpg posix_spawn posix_spawnp wait wait3 wait4 waitid
    waitpid execl execle execlp execlpe execv execve execvp execvpe spawnl spawnle spawnlp spawnlpe
    spawnv spawnve spawnvp spawnvpe pipe pipe2 pidfd_open nice setsid
"""
#: Reasons, also for the functions of `os` that are written in Python.
_REASONS: Final[Mapping[str, str]] = {
    **dict.fromkeys(_PROCESS_NAMES.split(), _PROCESSES),
    "fwalk": "not available in the sandbox; use os.walk",
    "mkfifo": "the scratch tree has files, folders and symbolic links only",
    "mknod": "the scratch tree has files, folders and symbolic links only",
}
#: Functions of `os` that ask the kernel for nothing, or that the guest itself needs.
_KEPT: Final = """
    confstr fspath strerror urandom getrandom abort register_at_fork putenv unsetenv major minor
    makedev waitstatus_to_exitcode WCOREDUMP WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED
    WIFSTOPPED WSTOPSIG WTERMSIG
"""


def refusal(name: str) -> Callable[..., NoReturn]:
    """A stand-in for `os.<name>` that raises PermissionError with the reason."""
    reason = f"os.{name}: {_REASONS.get(name, _OTHERWISE)}"

    def refused(*args: object, **kwargs: object) -> NoReturn:
        raise failure(errno.EPERM, reason=reason)

    refused.__name__ = refused.__qualname__ = name
    return refused


def refusals() -> dict[str, object]:
    """Stand-ins for every function of `os` that would ask the kernel for something."""
    kept = frozenset(_KEPT.split())
    return {
        name: refusal(name)
        for name, value in vars(os).items()
        if name in _REASONS
        or (isinstance(value, BuiltinFunctionType) and name not in kept and name[0] != "_")
    }


def _constant(name: str, value: object) -> Callable[[], object]:
    def constant() -> object:
        return value

    constant.__name__ = constant.__qualname__ = name
    return constant


def get_terminal_size(fd: int = 1, /) -> NoReturn:
    """As os.get_terminal_size where the output is no terminal."""
    raise failure(errno.ENOTTY)


def getlogin() -> NoReturn:
    """As os.getlogin without a terminal."""
    raise failure(errno.ENOTTY)


def times() -> os.times_result:
    """As os.times; processor time is the guest's own."""
    return os.times_result((time.process_time(), 0.0, 0.0, 0.0, time.monotonic()))


def listxattr(path: object = None, *, follow_symlinks: bool = True) -> NoReturn:
    """As os.listxattr on a file system without extended attributes."""
    raise failure(errno.ENOTSUP)


def device_encoding(fd: int) -> None:
    """As os.device_encoding of what is no terminal."""


def sched_getaffinity(pid: int, /) -> set[int]:
    """As os.sched_getaffinity."""
    return set(range(CPUS))


def getpwuid(uid: int, /) -> pwd.struct_passwd:
    """As pwd.getpwuid; there is one user."""
    if uid != UID:
        raise KeyError(f"getpwuid(): uid not found: {uid}")
    return _USER


def getpwnam(name: str, /) -> pwd.struct_passwd:
    """As pwd.getpwnam; there is one user."""
    if name != USER:
        raise KeyError(f"getpwnam(): name not found: {name!r}")
    return _USER


def getgrgid(gid: int) -> grp.struct_group:
    """As grp.getgrgid; there is one group."""
    if gid != GID:
        raise KeyError(f"getgrgid(): gid not found: {gid}")
    return _GROUP


def getgrnam(name: str) -> grp.struct_group:
    """As grp.getgrnam; there is one group."""
    if name != USER:
        raise KeyError(f"getgrnam(): name not found: {name!r}")
    return _GROUP


def _environment(real: Any) -> Any:
    return type(real)(
        _VARIABLES, real.encodekey, real.decodekey, real.encodevalue, real.decodevalue
    )


#: The variables of the program's own environment, empty at its start.
_VARIABLES: Final[dict[bytes, bytes]] = {}
ENVIRONMENT: Final = _environment(os.environ)

#: What stands in for names of `os`.
OS: Final[dict[str, object]] = {
    "environ": ENVIRONMENT,
    "environb": _environment(os.environb),
    **{name: _constant(name, UID) for name in ("getuid", "geteuid", "getgid", "getegid")},
    **{name: _constant(name, CPUS) for name in ("cpu_count", "process_cpu_count")},
    "getpid": _constant("getpid", PID),
    "getppid": _constant("getppid", 1),
    "getgroups": lambda: [GID],
    "uname": _constant("uname", os.uname_result(_UNAME)),
    "sched_yield": _constant("sched_yield", None),
    "get_terminal_size": get_terminal_size,
    "getlogin": getlogin,
    "times": times,
    "listxattr": listxattr,
    "device_encoding": device_encoding,
    "sched_getaffinity": sched_getaffinity,
}
PWD: Final[Mapping[str, object]] = {
    "getpwuid": getpwuid,
    "getpwnam": getpwnam,
    "getpwall": lambda: [_USER],
}
GRP: Final[Mapping[str, object]] = {
    "getgrgid": getgrgid,
    "getgrnam": getgrnam,
    "getgrall": lambda: [_GROUP],
}
