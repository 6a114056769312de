from __future__ import annotations

import copy
import enum
import json
import math
import pickle
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from typing_extensions import override

from codemode.sandbox.values import (
    MAX_VIOLATIONS,
    FrozenDict,
    FrozenList,
    InvalidValueError,
    snapshot,
    thaw,
)


class Colour(enum.Enum):
    RED = "red"


class Text(str):
    __slots__ = ()


class Point(NamedTuple):
    x: int
    y: int


@pytest.mark.spec("PIPELINE 3.1")
@pytest.mark.parametrize(
    "value",
    [None, True, 0, -(2**63), 2**63 - 1, 1.5, -0.0, "", "é😀", [], {}, {"a": [1, {"b": None}]}],
)
def test_json_values_pass_unchanged(value: Any) -> None:
    copied = snapshot(value)
    assert copied == value
    assert json.dumps(copied) == json.dumps(value)


@pytest.mark.spec("PIPELINE 3.1")
@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ((1, (2,)), [1, [2]]),
        (OrderedDict([("b", 1), ("a", 2)]), {"b": 1, "a": 2}),
        (defaultdict(list, {"a": [1]}), {"a": [1]}),
        (Counter("aab"), {"a": 2, "b": 1}),
    ],
)
def test_the_standard_library_s_own_containers_are_read_as_plain_ones(
    value: Any, plain: Any
) -> None:
    assert snapshot(value) == plain


def test_an_ordered_dict_keeps_its_own_order() -> None:
    ordered = OrderedDict([("a", 1), ("b", 2)])
    ordered.move_to_end("a")
    assert list(snapshot(ordered)) == ["b", "a"]  # type: ignore[arg-type]


@pytest.mark.spec("PIPELINE 3.1", "PIPELINE 3.4")
@pytest.mark.parametrize(
    ("value", "pointer", "says"),
    [
        (math.nan, "", "NaN"),
        ([math.inf], "/0", "NaN and infinities"),
        (2**63, "", "string"),
        ("\ud800", "", "surrogates"),
        ({"\ud800": 1}, "/\ud800", "surrogates"),
        ({"a": b"x"}, "/a", "base64"),
        ({1, 2}, "", "list"),
        ({"a/b~": object()}, "/a~1b~0", "object is not JSON"),
        (Colour.RED, "", ".value"),
        (Text("x"), "", "str(...)"),
        (Point(1, 2), "", "_asdict"),
        ({1: 2}, "/1", "keys must be str"),
        ([[{"k": [set[int]()]}]], "/0/0/k/0", "set"),
    ],
)
def test_what_is_not_lossless_is_refused_with_its_place_and_what_to_do(
    value: Any, pointer: str, says: str
) -> None:
    with pytest.raises(InvalidValueError) as caught:
        snapshot(value)
    (violation,) = caught.value.violations
    assert violation.pointer == pointer
    assert says in violation.message


@pytest.mark.spec("PIPELINE 3.4")
def test_every_fault_is_listed_up_to_a_bound() -> None:
    with pytest.raises(InvalidValueError) as caught:
        snapshot({"a": set[int](), "b": [1, b"", {"c": math.nan}]})
    assert [violation.pointer for violation in caught.value.violations] == ["/a", "/b/1", "/b/2/c"]
    with pytest.raises(InvalidValueError) as caught:
        snapshot([set[int]()] * 1000)
    assert len(caught.value.violations) == MAX_VIOLATIONS


@pytest.mark.spec("PIPELINE 3.4")
def test_a_hostile_object_runs_no_code() -> None:
    class Meta(type):
        @override
        def __getattribute__(cls, name: str) -> Any:
            raise AssertionError(f"touched {name}")

    class Hostile(metaclass=Meta):
        @override
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(f"touched {name}")

        __iter__ = __len__ = __str__ = __repr__ = __hash__ = __eq__ = None  # type: ignore[assignment]

    with pytest.raises(InvalidValueError, match="Hostile is not JSON"):
        snapshot([Hostile()])


@pytest.mark.spec("PIPELINE 3.1")
def test_cycles_are_refused_and_shared_values_are_not() -> None:
    shared: list[Any] = [1]
    assert snapshot([shared, shared]) == [[1], [1]]
    loop: dict[str, Any] = {}
    loop["self"] = [loop]
    with pytest.raises(InvalidValueError, match="/self/0: the value contains itself"):
        snapshot(loop)


@pytest.mark.spec("PIPELINE 3.3")
def test_5000_levels_pass_and_more_are_a_clear_error() -> None:
    def nested(levels: int) -> Any:
        value: Any = []
        for _ in range(levels - 1):
            value = [value]
        return value

    assert thaw(snapshot(nested(5000))) is not None
    with pytest.raises(InvalidValueError, match="nested deeper than 5000 levels"):
        snapshot(nested(5001))


@pytest.mark.spec("PIPELINE 3.5")
def test_a_small_graph_that_unfolds_to_gigabytes_is_refused_early() -> None:
    value: Any = ["x" * 1000]
    for _ in range(60):
        value = [value, value]
    with pytest.raises(InvalidValueError, match="larger than 1000000 bytes"):
        snapshot(value, max_bytes=1_000_000)


@pytest.mark.spec("PIPELINE 3.2")
def test_a_snapshot_is_frozen_and_shares_nothing_with_its_source() -> None:
    source: dict[str, Any] = {"a": [1, {"b": 2}]}
    frozen: Any = snapshot(source)
    source["a"][1]["b"] = 3
    assert frozen == {"a": [1, {"b": 2}]}
    changes: list[Callable[[], object]] = [
        lambda: frozen.update(x=1),
        lambda: frozen.__setitem__("a", 1),
        lambda: frozen["a"].append(1),
        lambda: frozen["a"][1].pop("b"),
        lambda: frozen["a"].sort(),
        lambda: frozen["a"].__iadd__([1]),
        lambda: frozen.__ior__({}),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="frozen"):
            change()
    assert frozen == {"a": [1, {"b": 2}]}


@pytest.mark.spec("PIPELINE 3.2")
def test_frozen_values_copy_pickle_and_thaw() -> None:
    frozen: Any = snapshot({"a": [1]})
    assert copy.deepcopy(frozen) is frozen
    again = pickle.loads(pickle.dumps(frozen))
    assert again == frozen
    assert type(again) is FrozenDict
    assert type(again["a"]) is FrozenList
    thawed = thaw(frozen)
    assert (type(thawed), type(thawed["a"])) == (dict, list)
    thawed["a"].append(2)
    assert frozen == {"a": [1]}
