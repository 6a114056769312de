"""MCP envelopes."""

from __future__ import annotations

import pytest

from codemode.sdkgen import unwrap_result

MARKED: dict[str, object] = {
    "type": "object",
    "x-fastmcp-wrap-result": True,
    "properties": {"result": {"type": "integer"}},
}


def text(*texts: str) -> list[dict[str, object]]:
    return [{"type": "text", "text": one} for one in texts]


@pytest.mark.spec("SDK 2.4")
def test_structured_content_wins_over_text() -> None:
    assert unwrap_result({"content": text("no"), "structuredContent": {"a": 1}}).value == {"a": 1}


@pytest.mark.spec("SDK 2.4")
@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ('{"a": [1]}', {"a": [1]}),
        ("[1]", [1]),
        ("5", 5),
        ("true", True),
        ("plain", "plain"),
        ('{"a": ', '{"a": '),
        ("NaN", "NaN"),
        ("[Infinity]", "[Infinity]"),
        ("1e999", "1e999"),
        ("123456789012345678901", "123456789012345678901"),
        ("9223372036854775808", "9223372036854775808"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_one_text_block_is_decoded_where_it_is_lossless_json(shown: str, value: object) -> None:
    assert unwrap_result({"content": text(shown)}).value == value


@pytest.mark.spec("SDK 2.4")
def test_several_text_blocks_are_text_and_a_declared_string_stays_one() -> None:
    assert unwrap_result({"content": text("1", "2")}).value == "1\n2"
    assert unwrap_result({"content": text("12")}, {"type": "string"}).value == "12"


@pytest.mark.spec("SDK 2.4")
def test_a_result_wrapper_goes_only_where_it_is_marked() -> None:
    envelope: dict[str, object] = {"content": [], "structuredContent": {"result": 3}}
    assert unwrap_result(envelope).value == {"result": 3}
    assert unwrap_result(envelope, {"properties": {"result": {}}}).value == {"result": 3}
    assert unwrap_result(envelope, MARKED).value == 3
    assert unwrap_result({**envelope, "_meta": {"fastmcp": {"wrap_result": True}}}).value == 3
    odd: dict[str, object] = {"structuredContent": {"result": 3, "more": 4}}
    assert unwrap_result(odd, MARKED).value == {"result": 3, "more": 4}


@pytest.mark.spec("SDK 2.4")
def test_an_error_has_its_text() -> None:
    failed = unwrap_result({"isError": True, "content": text("no such repo")})
    assert failed.is_error
    assert failed.text == "no such repo"


@pytest.mark.parametrize(
    "envelope",
    [{}, {"content": 3}, {"content": [7, {"type": "text"}]}, {"structuredContent": None}],
)
def test_a_broken_envelope_does_not_raise(envelope: dict[str, object]) -> None:
    assert not unwrap_result(envelope).is_error


def test_other_blocks_are_kept() -> None:
    image: dict[str, object] = {"type": "image", "data": "", "mimeType": "image/png"}
    assert unwrap_result({"content": [image]}).others == (image,)
