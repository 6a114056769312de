"""msgpack with its loose ends tied: the only module that imports it.

Strict in both directions: no extension types, no timestamps, text keys only, no duplicate keys,
signed 64-bit integers, finite floats, strict UTF-8, bounded nesting; binary data only where a
caller says so. A decoded value is frozen, so that decoding is also the snapshot.

Must never call a method of a value's own class, and must never decode before the caller has judged
the size. Source: the msgpack specification, and what msgpack-python lets through by itself: bytes
keys, duplicate keys, timestamps, NaN, unsigned integers above 63 bits, 1,024 levels.
"""

from __future__ import annotations

import gc
import struct
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from math import isfinite
from typing import Any, Final, cast

import msgpack

from codemode.sandbox.bridge.errors import TooManyError, WireError
from codemode.sandbox.bridge.strictness import INT_MAX, judge, judge_depth
from codemode.sandbox.limits import BY_NAME
from codemode.sandbox.values import MAX_BYTES, FrozenDict, FrozenList, snapshot

#: Collecting garbage while a large value is being built doubles its cost.
_LARGE_BYTES: Final = 64 << 10

#: How binary data of any length may begin: its type, its length.
BINARY: Final = struct.Struct(">BI")

#: Lists and maps of one value: an empty one is a byte on the wire and a hundred in memory.
MOST_CONTAINERS: Final = 500_000
#: Large bodies are looked at in pieces: plain text holds no such byte, which is quickly seen.
_PIECE_BYTES: Final = 64 << 10
#: Up to so many, a hook in Python for each costs less than to encode the value again.
_FEW_CONTAINERS: Final = 1_000
#: How lists and maps begin.
_CONTAINER_BYTES: Final = bytes((*range(0x80, 0xA0), 0xDC, 0xDD, 0xDE, 0xDF))


def _most_levels(accepts: Callable[[int], object], usual: tuple[int, ...]) -> int:
    """The most levels that `accepts` does not refuse; versions of msgpack differ."""

    def takes(levels: int) -> bool:
        try:
            accepts(levels)
        except (ValueError, RecursionError):
            return False
        return True

    for levels in usual:
        if takes(levels) and not takes(levels + 1):
            return levels
    low, high = 1, 1 << 13
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if takes(middle) else (low, middle)
    return low


def _encode_levels(levels: int) -> None:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    msgpack.packb(value)


def _decode_levels(levels: int) -> None:
    msgpack.unpackb(_IN_A_LIST * (levels - 1) + b"\x90")


#: Levels of one value that no limit of a run exceeds.
MOST_LEVELS: Final = int(BY_NAME["nesting"].maximum)
#: The head of a list of one item.
_IN_A_LIST: Final = b"\x91"
#: What the encoder and the decoder accept: so many levels, counting an empty innermost one.
_ENCODER_LEVELS: Final = _most_levels(_encode_levels, (1025, 512))
_DECODER_LEVELS: Final = _most_levels(_decode_levels, (1024,))

_SCALARS: Final[frozenset[type]] = frozenset({str, int, float, bool, type(None)})


def pack(value: object, *, records: frozenset[type] = frozenset()) -> bytes:
    """Encode plain data by exact type.

    Args:
        value: Nothing of it is called, whatever it is.
        records: Exact dict subclasses of ours that are written as plain dicts.

    Raises:
        WireError: A type that is not data, or more levels than the encoder knows. Keys, numbers
            and levels are not checked here: see `is_strict`.
    """

    def convert(item: object) -> object:
        kind = type(item)
        if kind is tuple:
            return list(item)  # type: ignore[call-overload]  # exactly a tuple
        if kind in records or kind in (FrozenDict, defaultdict, Counter):
            return dict(dict.items(item))  # type: ignore[arg-type]  # exactly one of ours, or of the standard library
        if kind is OrderedDict:
            return dict(OrderedDict.items(item))  # type: ignore[arg-type]  # exactly an OrderedDict
        if kind is FrozenList:
            return list(list.__iter__(item))  # type: ignore[arg-type]  # exactly a FrozenList
        raise WireError(f"{kind.__name__} is not data")

    try:
        return msgpack.packb(value, strict_types=True, default=convert)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise WireError(f"cannot be encoded: {type(error).__name__}") from error


def pack_strictly(
    value: object, *, nesting: int = MOST_LEVELS, records: frozenset[type] = frozenset()
) -> bytes:
    """As `pack`, of a value that `unpack` accepts on the other side.

    Raises:
        WireError: It is not lossless JSON, or has more levels.
    """
    packed = pack(value, records=records)
    if not (is_plain(value) or is_strict(packed, nesting=nesting)):
        raise WireError("not lossless JSON")
    return packed


def pack_frozen(value: object) -> bytes:
    """Encode a frozen snapshot: it is known to be strict, but for its levels.

    Raises:
        WireError: More levels than the encoder knows; `is_shallow` says whether the decoder does.
    """
    try:
        return msgpack.packb(value)
    except (ValueError, RecursionError) as error:
        raise WireError(f"cannot be encoded: {type(error).__name__}") from error


def freeze(value: object) -> Any:
    """As `values.snapshot`, at the codec's speed where the value is what it mostly is.

    Raises:
        InvalidValueError: It is not lossless JSON.
    """
    if type(value) in _SCALARS:
        return snapshot(value)
    try:
        packed = pack(value)
        if len(packed) <= MAX_BYTES:
            return unpack(packed, nesting=_ENCODER_LEVELS)
    except WireError:
        pass
    return snapshot(value)


def thaw(frozen: object) -> Any:
    """A mutable copy of a frozen snapshot, as plain dicts and lists, at the encoder's speed."""
    if type(frozen) is FrozenDict and _SCALARS.issuperset(map(type, frozen.values())):
        return {**frozen}
    packed = msgpack.packb(frozen)
    with _Quiet(len(packed)):
        return msgpack.unpackb(packed, max_bin_len=0)


def opened(message: dict[str, object], last: str) -> bytes:
    """A small map up to the value of one more entry, `last`, which follows already encoded.

    Preconditions: `message` has fewer than 15 entries.
    """
    head = msgpack.packb(message, strict_types=True)
    return b"".join((bytes((head[0] + 1,)), head[1:], msgpack.packb(last)))


def is_strict(packed: bytes, *, nesting: int = MOST_LEVELS) -> bool:
    """Whether `unpack` on the other side accepts what `pack` gave."""
    # Levels are used up before, so that the decoder's own bound comes where ours is.
    outer = max(_DECODER_LEVELS - nesting, 0) if _may_nest(packed, nesting) else 0
    try:
        with _Quiet(len(packed)):
            value = _decode(_IN_A_LIST * outer + packed if outer else packed, 0)
            for _ in range(outer):
                (value,) = value
            judge(value, packed, 0)
    except WireError:
        return False
    return True


def is_plain(value: object) -> bool:
    """Whether what `pack` gives for it is strict at sight: a scalar, or a dict of them by name."""
    if type(value) is not dict:
        return _is_plain_scalar(value)
    members = cast("dict[object, object]", value)
    return all(type(key) is str and _is_plain_scalar(item) for key, item in members.items())


def _is_plain_scalar(value: object) -> bool:
    if type(value) is int:
        return value <= INT_MAX  # what is too small does not pack
    if type(value) is float:
        return isfinite(value)
    return type(value) in (str, bool, type(None))


def is_shallow(packed: bytes) -> bool:
    """The same of what `pack_frozen` gave, which may only have too many levels."""
    return not _may_nest(packed, MOST_LEVELS) or is_strict(packed)


def _may_nest(packed: bytes, nesting: int) -> bool:
    return len(packed) > nesting and _most_containers(packed) > nesting


def unpack(body: bytes | bytearray, *, nesting: int, max_bin_bytes: int = 0) -> Any:
    """Decode exactly one value, frozen.

    Preconditions: the size of `body` was judged before it was read.

    Args:
        body: All of its bytes.
        nesting: Levels of containers that are accepted.
        max_bin_bytes: Longest binary item; 0 refuses binary data altogether.

    Raises:
        WireError: Anything that the module's first lines refuse.
    """
    if len(body) <= _LARGE_BYTES:
        value = _decode(body, max_bin_bytes, object_pairs_hook=_unique, list_hook=FrozenList)
        judge(value, body, max_bin_bytes)
        if len(body) > nesting:
            judge_depth(value, nesting)
        return value
    with _Quiet(len(body)):
        return _unpack_large(body, nesting, max_bin_bytes)


def _unpack_large(body: bytes | bytearray, nesting: int, max_bin_bytes: int) -> Any:
    """As `unpack`; what needs Python for each map or item is done only when it must be."""
    most = _most_containers(body)
    if most > _FEW_CONTAINERS:
        plain = {"object_hook": FrozenDict, "list_hook": FrozenList}
        value = _decode(body, max_bin_bytes, **(_counted() if most > MOST_CONTAINERS else plain))
        if _is_canonical(value, body, nesting):
            judge(value, body, max_bin_bytes)
            return value
    value = _decode(body, max_bin_bytes, object_pairs_hook=_unique, list_hook=FrozenList)
    judge_depth(value, nesting)
    judge(value, body, max_bin_bytes)
    return value


def unpack_trusted(body: bytes | bytearray, record: Callable[[Any], object]) -> Any:
    """Decode what the host sent, in the guest: mutable, `record` making a map of its pairs."""
    with _Quiet(len(body)):
        try:
            return msgpack.unpackb(
                body, strict_map_key=True, object_pairs_hook=record, max_bin_len=len(body)
            )
        except Exception as error:  # a mistake of the host's, whatever it is
            raise WireError(f"not a strict value: {type(error).__name__}") from error


def judge_containers(body: bytes) -> None:
    """Say of an encoded value whether `unpack` will find too many lists and maps in it.

    Raises:
        TooManyError: It has more than `MOST_CONTAINERS`.
    """
    if len(body) > MOST_CONTAINERS and _most_containers(body) > MOST_CONTAINERS:
        _decode(body, 0, **_counted())


def _most_containers(body: bytes | bytearray) -> int:
    """At most so many lists and maps: the bytes that begin one occur in text and numbers too."""
    found = 0
    for start in range(0, len(body), _PIECE_BYTES):
        piece = body[start : start + _PIECE_BYTES]
        if not piece.isascii():
            found += len(piece) - len(piece.translate(None, _CONTAINER_BYTES))
    return found


def _counted() -> dict[str, Callable[[Any], object]]:
    """Hooks that count what they make, for a body that may have too many lists and maps."""
    left = iter(range(MOST_CONTAINERS))

    def make(kind: Callable[[Any], object]) -> Callable[[Any], object]:
        def hook(items: Any) -> object:
            if next(left, None) is None:
                raise TooManyError(f"more than {MOST_CONTAINERS:,} lists and maps")
            return kind(items)

        return hook

    return {"object_pairs_hook": make(_unique), "list_hook": make(FrozenList)}


def _is_canonical(value: object, body: bytes | bytearray, nesting: int) -> bool:
    """Whether our own encoder gives `body` for what was decoded from it, within so many levels.

    Then no key was dropped for being there twice. It costs an encoding, at the encoder's speed;
    a hook for each map costs several. Levels are used up before, so that the encoder's own bound
    comes where ours is.
    """
    outer = max(_ENCODER_LEVELS - nesting, 0)
    for _ in range(outer):
        value = [value]
    try:
        again = msgpack.packb(value)
    except (ValueError, RecursionError):
        return False
    # Not by views: comparing those looks at each byte by itself.
    return len(again) == outer + len(body) and again.endswith(body)


def _decode(body: bytes | bytearray, max_bin_bytes: int, **hooks: Any) -> Any:
    try:
        return msgpack.unpackb(
            body,
            strict_map_key=True,
            ext_hook=_no_extension,
            max_bin_len=max_bin_bytes,
            max_ext_len=0,
            **hooks,
        )
    except WireError:
        raise
    except Exception as error:  # hostile bytes: whatever the decoder makes of them is their fault
        raise WireError(f"not a strict value: {type(error).__name__}") from error


class _Quiet:
    """Collects no garbage while a large value is made; nothing of it is garbage."""

    __slots__ = ("_pauses",)

    def __init__(self, size: int) -> None:
        self._pauses = size > _LARGE_BYTES and gc.isenabled()

    def __enter__(self) -> None:
        if self._pauses:
            gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._pauses:
            gc.enable()


def _unique(pairs: list[tuple[Any, Any]]) -> FrozenDict:
    found = FrozenDict(pairs)
    if len(found) != len(pairs):
        raise WireError("a key occurs twice")
    return found


def _no_extension(code: int, data: bytes) -> object:
    raise WireError("extension types are not data")
