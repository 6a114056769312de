"""Landlock with nothing allowed: no path, no port, no signal or abstract socket outside.

The ABI is read at run time, because the kernel refuses a right that it does not know. Once in
force it holds for this process and all that it forks.

Source: Documentation/userspace-api/landlock.rst, linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import Final

from codemode.sandbox.jail.kernel import call

_VERSION: Final = 1

#: Rights by the ABI that brought them: (first ABI, word of the attribute, bits).
_FILESYSTEM, _NETWORK, _SCOPES = 0, 1, 2
_RIGHTS: Final = (
    (1, _FILESYSTEM, (1 << 13) - 1),  # execute, write, read, and the making and removing of entries
    (2, _FILESYSTEM, 1 << 13),  # refer
    (3, _FILESYSTEM, 1 << 14),  # truncate
    (4, _NETWORK, 0b11),  # bind and connect of TCP
    (5, _FILESYSTEM, 1 << 15),  # ioctl of devices
    (6, _SCOPES, 0b11),  # abstract sockets and signals
)


def abi() -> int:
    """The kernel's Landlock ABI, from 1.

    Raises:
        OSError: ENOSYS or EOPNOTSUPP where there is no Landlock.
    """
    return call("landlock_create_ruleset", None, 0, _VERSION)


def attribute(version: int) -> bytes:
    """The landlock_ruleset_attr that handles all that this ABI knows, and allows nothing."""
    words = [0, 0, 0]
    for first, word, bits in _RIGHTS:
        if version >= first:
            words[word] |= bits
    length = 3 if version >= 6 else 2 if version >= 4 else 1
    return struct.pack(f"={length}Q", *words[:length])


def restrict(version: int) -> None:
    """Put this process under an empty rule set. Needs no_new_privs.

    Raises:
        OSError: The kernel refused it.
    """
    handled = attribute(version)
    buffer = ctypes.create_string_buffer(handled, len(handled))
    ruleset = call("landlock_create_ruleset", buffer, len(handled), 0)
    try:
        call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)
