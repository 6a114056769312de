"""Canonical form c1, by example."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from codemode.runtime.log import chain
from codemode.runtime.log.canonical import decode, decode_slowly, encode, sha256_of


@pytest.mark.spec("AUDIT 1.3")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None]}, '{"a":[true,null],"b":1}'),
        ({"\U0001f600": 1, "\uffff": 2}, '{"\uffff":2,"\U0001f600":1}'),
        (1e16, "1e+16"),
        (1e-5, "1e-05"),
        (0.0001, "0.0001"),
        (-0.0, "-0.0"),
        (9223372036854775807, "9223372036854775807"),
        ('é\u2028\x7f/\x00"', '"é\u2028\x7f/\\u0000\\""'),
        (["1e5,", "0.0000"], '["1e5,","0.0000"]'),
    ],
)
def test_the_form_is_as_defined(value: Any, text: str) -> None:
    assert encode(value) == text.encode()


@pytest.mark.spec("PIPELINE 3.3")
def test_five_thousand_levels_pass_both_ways() -> None:
    value: Any = "x"
    for _ in range(2_500):
        value = {"k": [value, 1e300]}
    body = encode(value)
    assert body.startswith(b'{"k":[{"k":[')
    assert encode(decode(body)) == body


def test_a_lone_surrogate_has_no_form() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        encode({"a": "\ud800"})


@pytest.mark.parametrize("text", ["", "[1", '{"a" 1}', "[1,]", "{1:2}", "nul", "01", "[1] 2", '"a'])
def test_text_that_is_not_json_is_refused(text: str) -> None:
    for read in (decode, decode_slowly):
        with pytest.raises(ValueError, match=r"."):
            read(text.encode())


@pytest.mark.spec("AUDIT 1.3")
def test_the_digest_covers_the_prefix_and_a_newline() -> None:
    assert chain.digest(b"{}") == hashlib.sha256(b"c1\n{}").hexdigest()
    assert sha256_of({"a": 1}) == hashlib.sha256(b'{"a":1}').hexdigest()
