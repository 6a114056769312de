"""Objects of the image whose reference counts nobody writes: guests then share their memory.

A fork shares a page until one side writes to it, and the interpreter writes to every object that
it merely looks at: more than half of the pages that a small program copies are copied for a count.
From Python 3.12 an object can be immortal: its count is a value that the interpreter leaves alone.
What the image has made lives as long as its guests anyway.

Must never touch an object that is not part of the image, and does nothing where the interpreter has
no such objects or keeps them in a way that is not known here. Source: PEP 683; Include/object.h of
3.12 and 3.13, Include/refcount.h of 3.14.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from typing import Final

#: The counts of objects that are immortal from the start, in the first 32 bits of an object on
#: 64-bit machines, by version.
_OF_NONE: Final = {(3, 12): 0xFFFF_FFFF, (3, 13): 0xFFFF_FFFF, (3, 14): 0xC000_0000}
#: The counts that are given. In 3.14 every count from that of None on is immortal; a reference from
#: before, on the stack of this very function, is still given back, and must not lead below.
_GIVEN: Final = {**_OF_NONE, (3, 14): 0xE000_0000}
#: The mark beside the count, in the next 32 bits, by which 3.14 knows it without looking.
_MARK: Final = {(3, 14): 1 << 16}
_VERSION: Final = sys.version_info[:2]


def immortalize() -> int:
    """Make everything that the collector can reach from what it tracks immortal.

    Returns:
        How many objects are; 0 where there is no such thing.
    """
    if not _is_as_expected():
        return 0
    gc.unfreeze()  # what is frozen is not listed
    objects = gc.get_objects()  # first, so that nothing of this function's is among them
    seen = set(map(id, objects))
    while objects:
        more = {id(one): one for one in gc.get_referents(*objects) if id(one) not in seen}
        seen.update(more)
        objects = list(more.values())
    counts, count = _counts_up_to(max(seen)), _GIVEN[_VERSION]
    mark = _MARK.get(_VERSION, 0)
    for address in seen:
        place = address >> 2
        counts[place] = count
        if mark:
            counts[place + 1] |= mark
    gc.freeze()
    return len(seen)


def _counts_up_to(address: int) -> ctypes.Array[ctypes.c_uint32]:
    """All memory up to a count at `address` and its mark: how far it goes is the machine's to say.

    Addresses of x86-64 have 47 bits, those of aarch64 48, and both have kernels with more.
    """
    return (ctypes.c_uint32 * ((address >> 2) + 2)).from_address(0)


def _is_as_expected() -> bool:
    """Whether an object that surely is immortal has the count that is known here."""
    known = _OF_NONE.get(_VERSION)
    if known is None or sys.maxsize <= 1 << 32 or sys.byteorder != "little":
        return False
    return ctypes.c_uint32.from_address(id(None)).value == known
