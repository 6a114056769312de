"""How deep a program may call itself: as deep as in plain Python, whatever of ours lies below it.

Source: `sys.setrecursionlimit`.
"""

from __future__ import annotations

import operator
import sys
from types import FrameType
from typing import Any, Final

#: What a program finds.
_USUAL: Final = 1_000
#: What the stack bears.
_MOST: Final = 20_000
_LEAST: Final = 100
#: From the frame that asks for room to the program's own first one.
_BETWEEN: Final = 1

_below: Final = [0]


def make_room(frame: FrameType | None) -> None:
    """Take what lies below the program out of its count; `frame` starts it."""
    depth = _BETWEEN
    while frame is not None:
        depth += 1
        frame = frame.f_back
    _below[0] = depth
    set_limit(_USUAL)


def get_limit() -> int:
    """As `sys.getrecursionlimit`, of a program."""
    return sys.getrecursionlimit() - _below[0]


def set_limit(limit: Any, /) -> None:
    """As `sys.setrecursionlimit`, of a program, up to what the stack bears."""
    wanted = operator.index(limit)
    if wanted < 1:
        raise ValueError("recursion limit must be greater or equal than 1")
    sys.setrecursionlimit(max(min(wanted, _MOST), _LEAST) + _below[0])


get_limit.__name__ = get_limit.__qualname__ = "getrecursionlimit"
set_limit.__name__ = set_limit.__qualname__ = "setrecursionlimit"
