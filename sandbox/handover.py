"""The files that a program leaves, as its guest hands them over after the end.

Each is judged before it is kept: nobody has to want it, its path may lead anywhere, and there may
be more of them than the limits allow.
"""

from __future__ import annotations

from typing import Final

from codemode.sandbox import endings
from codemode.sandbox.bridge.messages import Artifact
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Failure
from codemode.sandbox.text import clean


class Handover:
    """What one guest has handed over.

    Attributes:
        is_wanted: The run has asked for files.
        files: By their path in the scratch tree.
    """

    def __init__(self, limits: Limits) -> None:
        self.is_wanted = False
        self.files: Final[dict[str, bytes]] = {}
        self._limits = limits
        self._bytes = 0

    def take(self, artifact: Artifact) -> Failure | None:
        """Keep a file, or say why the run has failed with it."""
        self._bytes += len(artifact.data)
        is_many = len(self.files) >= self._limits.scratch_files
        if not self.is_wanted:
            return endings.by_violation("the guest handed over a file that nobody asked for")
        if "\0" in artifact.path or ".." in artifact.path.split("/"):
            return endings.by_violation("the guest handed over a file with an impossible path")
        if is_many or self._bytes > self._limits.scratch_bytes:
            name = "scratch_files" if is_many else "scratch_bytes"
            return endings.by_limit("limit", name, self._limits)
        self.files[clean(artifact.path)] = artifact.data
        return None
