"""A handler's value as bytes that the bridge carries."""

from __future__ import annotations

from codemode.sandbox.bridge import wire
from codemode.sandbox.bridge.errors import WireError
from codemode.sandbox.values import FrozenDict, FrozenList, Json, snapshot


def pack(value: Json) -> bytes:
    """Encode a handler's value.

    Raises:
        InvalidValueError: It is not lossless JSON.
    """
    try:
        if type(value) not in (FrozenDict, FrozenList):
            return wire.pack_strictly(value)
        packed = wire.pack_frozen(value)
        if wire.is_shallow(packed):
            return packed
    except WireError:
        pass
    return wire.pack_frozen(snapshot(value, max_depth=500))  # or it says what is wrong, and where
