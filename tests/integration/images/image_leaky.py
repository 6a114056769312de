"""An image that spoils its own jail, for the self-test and the report to find."""

from __future__ import annotations

import errno

from codemode.sandbox.jail import landlock, seccomp


def prepare(config: dict[str, object]) -> None:
    """Allow the system call that is named, or take Landlock away."""
    if call := config.get("call"):
        hole = seccomp.Rule(str(call), "allow", "a hole, made by a test")
        setattr(seccomp, "POLICY", (hole, *seccomp.POLICY))  # noqa: B010 - it is Final
    if config.get("no_landlock"):
        landlock.abi = _no_landlock


def _no_landlock() -> int:
    raise OSError(errno.ENOSYS, "Function not implemented")


def serve(fd: int) -> None:
    """End at once."""
