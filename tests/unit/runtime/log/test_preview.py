"""Previews of large values."""

from __future__ import annotations

import pytest

from codemode.runtime.log import preview
from codemode.runtime.log.canonical import encode, sha256_of
from codemode.runtime.log.preview import MAX_FIELD_BYTES, is_preview, shorten
from codemode.sandbox.values import FrozenDict, Json


@pytest.mark.spec("CODE_MODE 6.4")
def test_a_preview_has_head_tail_size_and_digest() -> None:
    value: Json = {"rows": ["é" * 10_000, "end"]}
    facts = preview(value, locator="spill:7")["$preview"]
    assert facts["bytes"] == len(encode(value))
    assert facts["sha256"] == sha256_of(value)
    assert facts["locator"] == "spill:7"
    assert facts["head"].startswith('{"rows":["éé')
    assert facts["tail"].endswith('"end"]}')


def test_head_and_tail_of_a_short_value_do_not_overlap() -> None:
    facts = preview("abc" * 700)["$preview"]
    assert facts["head"] + facts["tail"] == "abc" * 700


def test_only_large_fields_are_shortened_and_the_program_never() -> None:
    big = "x" * (MAX_FIELD_BYTES + 1)
    data = shorten(FrozenDict({"a": big, "b": [1], "program": big}))
    assert is_preview(data["a"])
    assert data["b"] == [1]
    assert data["program"] == big
    assert not is_preview({"$preview": 1, "other": 2})
