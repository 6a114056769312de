"""Canonical form c1: the fast encoder equals the definition, and reading gives the value back."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemode.runtime.log.canonical import decode, decode_slowly, encode, encode_slowly
from codemode.sandbox.values import Json, snapshot


def scaled(digits: int, exponent: int) -> float:
    return float(f"{digits}e{exponent}")


texts = st.text(st.characters(exclude_categories=["Cs"]))
# Floats where encoders differ in the exponent's form are rare by chance: ask for them.
floats: st.SearchStrategy[float] = st.floats(allow_nan=False, allow_infinity=False) | st.builds(
    scaled,
    st.integers(-99, 99),
    st.integers(-320, 300),
)
scalars: st.SearchStrategy[Json] = (
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 63) - 1) | floats | texts
)
values: st.SearchStrategy[Json] = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=30
)


def by_definition(value: Json) -> bytes:
    """The definition in the words of the standard library."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.mark.spec("AUDIT 1.3")
@given(values)
def test_the_encoders_equal_the_definition(value: Json) -> None:
    expected = by_definition(value)
    assert encode(value) == expected
    assert encode_slowly(value) == expected
    assert encode(snapshot(value)) == expected


@pytest.mark.spec("AUDIT 1.3")
@given(floats)
def test_a_float_has_its_shortest_repr(number: float) -> None:
    assert encode(number) == repr(number).encode()
    assert encode([number, {"x": number}]) == f'[{number!r},{{"x":{number!r}}}]'.encode()


@given(values)
def test_reading_gives_the_value_back(value: Json) -> None:
    body = encode(value)
    for read in (decode, decode_slowly):
        assert encode(read(body)) == body


@given(values, st.integers(0, 3))
def test_the_iterative_reader_takes_what_the_standard_one_takes(value: Json, indent: int) -> None:
    text = json.dumps(value, indent=indent)
    assert encode(decode_slowly(text.encode())) == encode(json.loads(text))


def refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def finite(text: str) -> float:
    return float(text) if math.isfinite(float(text)) else refuse(text)


@given(st.binary(max_size=40) | st.text('[]{},:"0123.eE+-tfn\\u ').map(str.encode))
def test_the_iterative_reader_refuses_what_the_standard_one_refuses(body: bytes) -> None:
    try:
        expected = json.loads(body.decode(), parse_constant=refuse, parse_float=finite)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            decode_slowly(body)
    else:
        assert json.dumps(decode_slowly(body)) == json.dumps(expected)
