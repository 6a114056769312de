"""Objects of the image whose reference counts nobody writes: guests then share their memory.

A fork shares a page until one side writes to it, and the interpreter writes to every object that
it merely looks at: more than half of the pages that a small program copies are copied for a count.
From Python 3.12 an object can be immortal: its count is a value that the interpreter leaves alone.
What the image has made lives as long as its guests anyway.

Must never touch an object that is not part of the image, and does nothing where the interpreter has
no such objects or keeps them in a way that is not known here. Source: PEP 683; Include/object.h of
3.12 and 3.13.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from typing import Final

#: The count that means immortal, in the first 32 bits of an object on 64-bit machines.
_COUNT: Final = 0xFFFF_FFFF
_KNOWN: Final = ((3, 12), (3, 13))


def immortalize() -> int:
    """Make everything that the collector can reach from what it tracks immortal.

    Returns:
        How many objects are; 0 where there is no such thing.
    """
    if sys.version_info[:2] not in _KNOWN or not _is_as_expected():
        return 0
    gc.unfreeze()  # what is frozen is not listed
    objects = gc.get_objects()  # first, so that nothing of this function's is among them
    seen = set(map(id, objects))
    while objects:
        more = {id(one): one for one in gc.get_referents(*objects) if id(one) not in seen}
        seen.update(more)
        objects = list(more.values())
    counts = _counts_up_to(max(seen))
    for address in seen:
        counts[address >> 2] = _COUNT
    gc.freeze()
    return len(seen)


def _counts_up_to(address: int) -> ctypes.Array[ctypes.c_uint32]:
    """All memory up to a count at `address`: how far it goes is the machine's to say.

    Addresses of x86-64 have 47 bits, those of aarch64 48, and both have kernels with more.
    """
    return (ctypes.c_uint32 * ((address >> 2) + 1)).from_address(0)


def _is_as_expected() -> bool:
    """Whether an object that surely is immortal has the count that is known here."""
    return ctypes.c_uint32.from_address(id(None)).value == _COUNT and sys.maxsize > 1 << 32
