"""What the kernel tells of processes: what is below them, what they have open, what they may do."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def parents(*, with_dead: bool = False) -> dict[int, int]:
    """The parent of every process that is not already dead, by pid; or also of the unreaped."""
    found: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                state, parent = (
                    Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()[:2]
                )
            except (OSError, IndexError):
                continue
            if state not in ("X" if with_dead else "ZX"):
                found[int(entry)] = int(parent)
    return found


def generations(root: int, *, with_dead: bool = False) -> list[set[int]]:
    """The children of `root`, then their children, and so on."""
    by_pid = parents(with_dead=with_dead)
    levels: list[set[int]] = []
    level = {root}
    while level := {pid for pid, parent in by_pid.items() if parent in level}:
        levels.append(level)
    return levels


def descendants(root: int, *, with_dead: bool = False) -> set[int]:
    """Every living process below `root`; or also those that nobody has reaped."""
    return set[int]().union(*generations(root, with_dead=with_dead))


def descriptors() -> dict[int, str]:
    """What this process has open, by descriptor."""
    found: dict[int, str] = {}
    for entry in os.listdir("/proc/self/fd"):
        try:
            found[int(entry)] = os.readlink(f"/proc/self/fd/{entry}")
        except OSError:
            continue  # the folder's own
    return found


def proc(pid: int, name: str) -> str:
    """What the kernel tells of a process."""
    return Path(f"/proc/{pid}/{name}").read_text()


def user_namespaces_work() -> bool:
    """Whether a user may make namespaces here; asked of another program than ours."""
    words = ["unshare", "--user", "--map-root-user", "--pid", "--net", "--mount", "--fork", "true"]
    done = subprocess.run(words, check=False, capture_output=True)
    return done.returncode == 0
