"""Descriptors: a guest keeps its end of the bridge and nothing else.

Source: close_range(2), dup2(2).
"""

from __future__ import annotations

import os
from typing import Final

from codemode.sandbox.jail.kernel import Prepared
from codemode.sandbox.jail.seccomp import BRIDGE_FD

_LAST: Final = 0xFFFF_FFFF


class OnlyBridge:
    """Reduces the descriptors of this process to one, prepared once."""

    __slots__ = ("_above", "_below")

    def __init__(self) -> None:
        self._below = Prepared("close_range", 0, BRIDGE_FD - 1, 0)
        self._above = Prepared("close_range", BRIDGE_FD + 1, _LAST, 0)

    def apply(self, bridge: int) -> None:
        """Make `bridge` descriptor 3 and close all others, standard streams included.

        Raises:
            OSError: The kernel has no close_range(2) (it came with 5.9).
        """
        if bridge != BRIDGE_FD:
            os.dup2(bridge, BRIDGE_FD, inheritable=False)
        self._above()
        self._below()
