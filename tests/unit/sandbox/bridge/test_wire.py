"""msgpack with its loose ends tied."""

from __future__ import annotations

import gc
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import msgpack
import pytest

from codemode.sandbox.bridge import wire
from codemode.sandbox.bridge.errors import WireError
from codemode.sandbox.bridge.wire import pack, unpack
from codemode.sandbox.values import FrozenDict, FrozenList


class Record(dict[str, Any]):
    """A record of ours."""


@pytest.mark.spec("SANDBOX 4.2")
@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "nothing"),
        (b"\x01\x02", "two values"),
        (b"\xc1", "no type"),
        (b"\x92\x01", "cut short"),
        (b"\xc7\x00\x05", "an empty extension"),
        (b"\xd4\x05x", "an extension"),
        (b"\xd6\xff\x00\x00\x00\x00", "a timestamp"),
        (b"\xc7\x0c\xff" + b"\0" * 12, "a long timestamp"),
        (b"\x81\x01\x02", "a number as key"),
        (b"\x81\xc4\x01a\x02", "binary as key"),
        (b"\x81\xc4\x00\x02", "empty binary as key"),
        (b"\x82\xa1a\x01\xa1a\x02", "a key twice"),
        (b"\xc4\x01a", "binary"),
        (b"\xc4\x00", "empty binary"),
        (b"\xc5\x00\x00", "empty binary, longer length"),
        (b"\xc6\x00\x00\x00\x00", "empty binary, longest length"),
        (b"\xa1\xff", "not UTF-8"),
        (b"\xa3\xed\xa0\x80", "a surrogate"),
        (b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", "NaN"),
        (b"\xcb\xff\xf0\x00\x00\x00\x00\x00\x00", "minus infinity"),
        (b"\xca\x7f\x80\x00\x00", "infinity of single precision"),
        (b"\xcf\x80" + b"\0" * 7, "64 bits without sign"),
        (b"\x91" * 600 + b"\x01", "600 levels"),
        (b"\x91" * 5_000 + b"\x01", "5,000 levels"),
        (b"\xdd\xff\xff\xff\xff", "an endless array"),
        (b"\xdb\xff\xff\xff\xff", "an endless text"),
    ],
)
def test_what_is_not_strict_is_refused(body: bytes, why: str) -> None:
    with pytest.raises(WireError):
        unpack(body, nesting=500)


_SUSPECT: list[Any] = [{"": [], "a": {"b": [None, True, False]}}, [[[[]]]]]


@pytest.mark.parametrize(
    "value",
    [
        1.7e308,
        -1.7e308,
        5e-324,
        -0.0,
        (1 << 63) - 1,
        -(1 << 63),
        1 << 40,
        "\u010a \u02bc \xc4\x00 \x00",
        "\xcf\x80\xcb\x7f",
        *_SUSPECT,
    ],
)
def test_bytes_that_only_look_suspect_do_no_harm(value: Any) -> None:
    assert unpack(pack(value), nesting=500) == value
    assert wire.is_strict(pack(value))


def test_single_precision_is_read_if_it_is_finite() -> None:
    assert unpack(b"\xca\x3f\x80\x00\x00", nesting=1) == 1.0


@pytest.mark.spec("SANDBOX 4.2")
def test_a_decoded_value_is_frozen() -> None:
    value = unpack(pack({"a": [1]}), nesting=5)
    assert (type(value), type(value["a"])) == (FrozenDict, FrozenList)


def test_binary_data_is_read_where_a_caller_says_so() -> None:
    assert unpack(msgpack.packb([b"", b"abc"]), nesting=2, max_bin_bytes=3) == [b"", b"abc"]
    with pytest.raises(WireError):
        unpack(msgpack.packb(b"abcd"), nesting=1, max_bin_bytes=3)


@pytest.mark.spec("SANDBOX 4.5")
def test_standard_containers_are_written_by_their_exact_type() -> None:
    given: list[Any] = [
        (1, 2),
        OrderedDict(a=1),
        defaultdict(int, a=1),
        Counter(a=1),
        FrozenDict(a=1),
        FrozenList([1]),
        Record(a=1),
    ]
    packed = pack(given, records=frozenset({Record}))
    assert unpack(packed, nesting=5) == [[1, 2], *[{"a": 1}] * 4, [1], {"a": 1}]


@pytest.mark.spec("SANDBOX 4.5")
@pytest.mark.parametrize("base", [dict, list, str, int, float, tuple])
def test_a_subclass_is_not_data_and_none_of_its_methods_is_called(base: type) -> None:
    def called(*_: object) -> Any:
        raise AssertionError("a method of the value was called")

    hostile = type(
        "Hostile", (base,), dict.fromkeys(("__iter__", "__len__", "items", "__str__"), called)
    )
    with pytest.raises(WireError):
        pack([hostile()])


def test_cycles_and_depth_are_refused_when_packing() -> None:
    loop: list[Any] = []
    loop.append(loop)
    for value in (loop, 1 << 64, "\ud800"):
        with pytest.raises(WireError):
            pack(value)


def test_a_packed_value_is_spliced_into_a_map() -> None:
    body = wire.opened({"t": "call", "id": 1}, "arguments") + pack({"a": [1]})
    assert msgpack.unpackb(body) == {"t": "call", "id": 1, "arguments": {"a": [1]}}


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_collection_is_as_it_was_after_a_large_value(enabled: bool) -> None:
    body = pack(["x" * 100_000, 1])
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        unpack(body, nesting=2)
        with pytest.raises(WireError):
            unpack(body + b"x", nesting=2)
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_the_guest_reads_what_the_host_sent_into_records() -> None:
    value = wire.unpack_trusted(wire.pack_frozen({"a": [{"b": 1}]}), Record)
    assert (type(value), type(value["a"]), type(value["a"][0])) == (Record, list, Record)


@pytest.mark.spec("SANDBOX 4.2")
@pytest.mark.parametrize("filler", ["", "x" * 200_000])
def test_levels_are_counted_alike_in_small_and_in_large_values(filler: str) -> None:
    def deep(levels: int) -> list[Any]:
        value: list[Any] = []
        for _ in range(levels - 1):
            value = [value]
        return value

    for levels, is_fine in ((499, True), (500, False), (900, False)):
        packed = pack([deep(levels), filler])
        assert wire.is_strict(packed) is is_fine
        if is_fine:
            unpack(packed, nesting=500)
        else:
            with pytest.raises(WireError, match="500 levels"):
                unpack(packed, nesting=500)
    assert not wire.is_strict(pack([[1]] * 9), nesting=1)
