"""Capabilities: a guest has none, and can get none.

Source: capabilities(7), capset(2), prctl(2).
"""

from __future__ import annotations

import ctypes
import struct
from typing import Final

from codemode.sandbox.jail.kernel import Prepared, call

_VERSION_3: Final = 0x2008_0522
_SET_NO_NEW_PRIVS: Final = 38


def no_new_privileges() -> None:
    """No later execve can give this process, or what it forks, anything. Also asked by Landlock."""
    call("prctl", _SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def prepare_drop() -> Prepared:
    """A call that empties the effective, permitted, inheritable and so the ambient set."""
    header = ctypes.create_string_buffer(struct.pack("=Ii", _VERSION_3, 0), 8)
    nothing = ctypes.create_string_buffer(24)
    return Prepared("capset", header, nothing)
