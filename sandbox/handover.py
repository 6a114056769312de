"""The files that a program leaves, as its guest hands them over after the end.

Each is judged before it is kept: nobody has to want it, its path may lead anywhere, and there may
be more of them than the limits allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

from codemode.sandbox import endings
from codemode.sandbox.bridge.messages import Artifact
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Failure
from codemode.sandbox.text import clean


class Handover:
    """What one guest has handed over.

    Attributes:
        wanted: The globs of the files that the run has asked for.
        files: By their path in the scratch tree.
    """

    def __init__(self, limits: Limits) -> None:
        self.wanted: Sequence[str] = ()
        self.files: Final[dict[str, bytes]] = {}
        self._limits = limits
        self._bytes = 0

    def take(self, artifact: Artifact) -> Failure | None:
        """Keep a file, or say why the run has failed with it."""
        self._bytes += len(artifact.data)
        is_many = len(self.files) >= self._limits.scratch_files
        if "\0" in artifact.path or ".." in artifact.path.split("/"):
            return endings.by_violation("the guest handed over a file with an impossible path")
        if not any(_is_match(glob, artifact.path) for glob in self.wanted):
            return endings.by_violation("the guest handed over a file that nobody asked for")
        if is_many or self._bytes > self._limits.scratch_bytes:
            name = "scratch_files" if is_many else "scratch_bytes"
            return endings.by_limit("limit", name, self._limits)
        self.files[clean(artifact.path)] = artifact.data
        return None


def _is_match(glob: str, path: str) -> bool:
    """Whether a guest that reads `glob` as the library's `glob` does may find `path` by it."""
    if path.startswith("/") != glob.startswith("/"):
        return False
    names, wanted = _parts(path), _parts(glob)
    at = want = resumed = 0
    last = -1  # the last `**`, which takes one name more when what comes after it does not fit
    while at < len(names):
        if want < len(wanted) and wanted[want] == "**":
            last, resumed = want, at
            want += 1
        elif want < len(wanted) and fnmatchcase(names[at], wanted[want]):
            at, want = at + 1, want + 1
        elif last >= 0:
            resumed += 1
            at, want = resumed, last + 1
        else:
            return False
    return bool(names) and all(part == "**" for part in wanted[want:])


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]
