"""What the decoder lets through and a strict value has not: bad scalars, and too many levels.

A search of the encoded bytes says that nothing is wrong, at the speed of memchr; only where it
cannot, the value is walked, level by level and without recursion. No method of a value's own class
is called.
"""

from __future__ import annotations

import re
from itertools import chain
from math import isfinite
from typing import Any, Final, TypeAlias

from codemode.sandbox.bridge.errors import WireError
from codemode.sandbox.values import FrozenDict, FrozenList

#: Bytes that begin something forbidden: NaN and infinities, unsigned integers above 63 bits, empty
#: binary data. They also occur inside text, so finding them proves nothing; not finding them proves
#: that nothing is forbidden. The first byte is looked for alone: that is what memchr does.
_SUSPECTS: Final = tuple(
    (pattern[:1], re.compile(pattern, re.DOTALL))
    for pattern in (
        b"\xca[\x7f\xff][\x80-\xff]",
        b"\xcb[\x7f\xff][\xf0-\xff]",
        b"\xcf[\x80-\xff]",
    )
)
_EMPTY_BINARY: Final = tuple(
    (pattern[:1], re.compile(re.escape(pattern)))
    for pattern in (b"\xc4\x00", b"\xc5\x00\x00", b"\xc6\x00\x00\x00\x00")
)

INT_MAX: Final = (1 << 63) - 1
#: Any byte of those above, for a body that is so small that one search is the fastest.
_ANY_SUSPECT: Final = re.compile(rb"[\xca\xcb\xcf\xc4\xc5\xc6]")
_SMALL_BYTES: Final = 4 << 10

_Container: TypeAlias = "dict[Any, Any] | list[Any]"
_values: Final = dict[Any, Any].values
_MAPS: Final = frozenset[type]((dict, FrozenDict))
_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list, FrozenDict, FrozenList})


def judge(value: object, body: bytes | bytearray, max_bin_bytes: int) -> None:
    """Refuse scalars that are not data; looks at them only when a byte says that some may be.

    Args:
        body: What the value was decoded from, or its encoding.
        max_bin_bytes: 0 refuses binary data altogether.

    Raises:
        WireError: The value has a scalar or a key that is not data.
    """
    if len(body) <= _SMALL_BYTES:
        is_suspect = _ANY_SUSPECT.search(body) is not None
    else:
        suspects = _SUSPECTS if max_bin_bytes else _SUSPECTS + _EMPTY_BINARY
        is_suspect = any(first in body and pattern.search(body) for first, pattern in suspects)
    if is_suspect:
        _judge_scalars(value, has_binary=max_bin_bytes > 0)


def judge_depth(value: Any, nesting: int) -> None:
    """Refuse a value of more levels than `nesting`.

    Raises:
        WireError: It has more.
    """
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(nesting):
        if not level:
            return
        items = _members(*_maps_and_lists(level))
        level = _containers(items, set(map(type, items)))
    if level:
        raise WireError(f"more than {nesting} levels")


def _judge_scalars(value: Any, *, has_binary: bool) -> None:
    """The exact check, level by level, for the rare body that holds a suspect byte."""
    level: list[_Container] = [[value]]
    while level:
        maps, lists = _maps_and_lists(level)
        if not {str}.issuperset(map(type, chain.from_iterable(maps))):
            raise WireError("a key that is not text")
        items = _members(maps, lists)
        kinds = set(map(type, items))
        if float in kinds and not all(map(isfinite, [x for x in items if type(x) is float])):
            raise WireError("a float that is not finite")
        if int in kinds and max([x for x in items if type(x) is int]) > INT_MAX:
            raise WireError("an integer above 63 bits")
        if bytes in kinds and not has_binary:
            raise WireError("binary data is not JSON")
        level = _containers(items, kinds)


def _members(maps: list[Any], lists: list[Any]) -> list[Any]:
    """What these containers hold; of maps, their values."""
    return [*chain.from_iterable(map(_values, maps)), *chain.from_iterable(lists)]


def _maps_and_lists(level: list[_Container]) -> tuple[list[Any], list[Any]]:
    kinds = set(map(type, level))
    if kinds.issubset(_MAPS):
        return level, []
    if kinds.isdisjoint(_MAPS):
        return [], level
    return [one for one in level if type(one) in _MAPS], [
        one for one in level if type(one) not in _MAPS
    ]


def _containers(items: list[Any], kinds: set[type]) -> list[_Container]:
    """Those of `items` that hold others; `kinds` are the types that occur."""
    if kinds.issubset(_CONTAINERS):
        return items
    if kinds.isdisjoint(_CONTAINERS):
        return []
    return [item for item in items if type(item) in _CONTAINERS]
