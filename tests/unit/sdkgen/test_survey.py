"""What one look says of a schema, and that the compiler agrees with it."""

from __future__ import annotations

import math

import pytest

from codemode.sdkgen import SchemaError, ToolSpec, compile_schema
from codemode.sdkgen.expansion import is_bounded
from codemode.sdkgen.survey import MAX_VALUES, Standing, survey

OBJECT: dict[str, object] = {"type": "object", "properties": {"a": {"type": "string"}}}


class Words(dict[str, object]):
    """A dict of a caller's own."""


def with_a(node: object) -> dict[str, object]:
    """An object schema with one property."""
    return {"type": "object", "properties": {"a": node}}


@pytest.mark.spec("SDK 3.3")
@pytest.mark.parametrize(
    ("schema", "standing"),
    [
        (OBJECT, Standing.PLAIN),
        ({**OBJECT, "type": "dict"}, Standing.PLAIN),
        ({**OBJECT, "$schema": "http://json-schema.org/draft-07/schema#"}, Standing.PLAIN),
        (with_a({"default": [1, 2.5, None, True, "gr\u00fcn"]}), Standing.PLAIN),
        (with_a({"$ref": "#/$defs/x"}), Standing.REFERRING),
        (with_a({"$ref": "#x", "$anchor": "x"}), Standing.INTRICATE),
        ({**with_a({"$ref": "#"}), "$id": "x"}, Standing.INTRICATE),
        (with_a({"id": "http://e/x", **with_a({"$ref": "#/definitions/S"})}), Standing.INTRICATE),
        ({"type": "object", "properties": {"id": {"type": "string"}}}, Standing.PLAIN),
        (with_a({"type": "float"}), Standing.INTRICATE),
        (with_a({"type": "string", "nullable": True}), Standing.INTRICATE),
        (with_a({"maximum": 1 << 64}), Standing.UNSURE),
        (with_a({"const": math.nan}), Standing.UNSURE),
        (with_a({"const": "\ud800"}), Standing.UNSURE),
        (with_a({"\ud800": 1}), Standing.UNSURE),
        (with_a({"enum": (1, 2)}), Standing.UNSURE),
        (with_a(Words(type="string")), Standing.UNSURE),
        (with_a({1: 2}), Standing.UNSURE),
        (with_a({"enum": list(range(MAX_VALUES))}), Standing.UNSURE),
        (True, Standing.UNSURE),
    ],
)
def test_a_look_says_what_a_schema_is(schema: object, standing: Standing) -> None:
    assert survey(schema) is standing


@pytest.mark.spec("SDK 3.2")
def test_a_schema_that_contains_itself_is_not_looked_at_forever() -> None:
    loop = with_a({})
    loop["properties"] = {"a": loop}
    assert survey(loop) is Standing.UNSURE


@pytest.mark.spec("SDK 3.2")
@pytest.mark.parametrize(
    ("definitions", "is_sound"),
    [
        ({"A": {"type": "string"}}, True),
        ({"A": {"properties": {"again": {"$ref": "#/$defs/A"}}}}, True),
        ({"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}, False),
        ({"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}, False),
        ({"A": {}, "unused": {"$ref": "https://example.com/x"}}, False),
        ({"B": {}}, False),
    ],
)
def test_references_are_sound_when_they_lead_somewhere_and_end(
    definitions: dict[str, object], is_sound: bool
) -> None:
    schema = {**with_a({"$ref": "#/$defs/A"}), "$defs": definitions}
    assert is_bounded(schema) is is_sound
    assert (compile_schema(schema, lenient=True).degraded == ()) is is_sound


@pytest.mark.spec("SDK 3.1")
def test_a_misnamed_type_of_the_root_is_a_fault_wherever_it_is_read() -> None:
    schema = {**OBJECT, "type": "dict"}
    with pytest.raises(SchemaError, match="'dict' is not a type"):
        compile_schema(schema, lenient=False)
    validator = compile_schema(schema, lenient=True)
    assert validator.degraded == ("/type: 'dict' is not a type; read as 'object'",)
    assert not validator.is_valid([])
    assert schema["type"] == "dict"


@pytest.mark.spec("SDK 3.1")
def test_a_draft_4_bound_before_its_minimum_is_repaired() -> None:
    schema = with_a({"exclusiveMinimum": True, "minimum": 0})
    validator = compile_schema(schema, lenient=True)
    assert not validator.is_valid({"a": 0})


@pytest.mark.spec("SDK 3.3")
def test_what_is_surveyed_before_compiles_as_what_is_not(awkward: list[ToolSpec]) -> None:
    for tool in awkward:
        schema = tool.parameters
        known = compile_schema(schema, lenient=True, standing=survey(schema))
        assert known.degraded == compile_schema(schema, lenient=True).degraded
