"""References by identifier become local pointers; others stay, and are refused."""

from __future__ import annotations

import copy

import pytest

from codemode.sdkgen import ToolSpec, build_sdk, compile_schema
from codemode.sdkgen.identifiers import localize

POINT: dict[str, object] = {"type": "object", "properties": {"x": {"type": "integer"}}}


def document(reference: str, part: dict[str, object], **more: object) -> dict[str, object]:
    return {
        **more,
        "type": "object",
        "properties": {"a": {"$ref": reference}},
        "$defs": {"P": {**part, **POINT}},
    }


@pytest.mark.spec("SDK 3.1", "SDK 3.2")
@pytest.mark.parametrize(
    "schema",
    [
        document("#/$defs/P", {}, **{"$id": "https://example.com/t.json"}),
        document(
            "https://example.com/t.json#/$defs/P", {}, **{"$id": "https://example.com/t.json"}
        ),
        document("t.json#/$defs/P", {}, **{"$id": "https://example.com/t.json"}),
        document("p.json", {"$id": "p.json"}, **{"$id": "https://example.com/t.json"}),
        document(
            "/p.json", {"$id": "https://example.com/p.json"}, **{"$id": "https://example.com/t"}
        ),
        document("urn:p", {"$id": "urn:p"}),
        document("#p", {"$anchor": "p"}, **{"$id": "https://example.com/t.json"}),
        document("#p", {"$id": "#p"}, **{"$schema": "http://json-schema.org/draft-07/schema#"}),
    ],
)
def test_a_part_is_found_by_its_identifier(schema: dict[str, object]) -> None:
    sdk = build_sdk([ToolSpec("f", "", schema)])
    assert sdk.catalog() == "# tools\nf(a?: {x?: int})"
    assert sdk.explain("f").degraded == ()
    validator = compile_schema(schema, lenient=False)
    assert validator.is_valid({"a": {"x": 1}})
    assert not validator.is_valid({"a": {"x": "s"}})


@pytest.mark.spec("SDK 3.2")
def test_a_reference_inside_an_identified_part_is_relative_to_that_part() -> None:
    inner = {"$id": "https://example.com/p", "$defs": {"Q": {"type": "string"}}}
    schema: dict[str, object] = {
        "properties": {"a": {"$ref": "https://example.com/p"}},
        "$defs": {
            "Q": {"type": "integer"},
            "P": {**inner, "properties": {"q": {"$ref": "#/$defs/Q"}}},
        },
    }
    validator = compile_schema(schema, lenient=False)
    assert validator.is_valid({"a": {"q": "s"}})
    assert not validator.is_valid({"a": {"q": 1}})


@pytest.mark.spec("SDK 3.2")
@pytest.mark.parametrize("reference", ["https://other.example/p", "file:///etc/passwd", "http://["])
def test_what_the_document_does_not_hold_stays_a_reference_and_is_refused(reference: str) -> None:
    schema = document(reference, {}, **{"$id": "https://example.com/t.json"})
    own = copy.deepcopy(schema)
    localize(own)
    assert own["properties"] == schema["properties"]
    assert compile_schema(schema, lenient=True).degraded
