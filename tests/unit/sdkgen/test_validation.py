"""Compiling schemas and checking values."""

from __future__ import annotations

import pytest

from codemode.sdkgen import SchemaError, ToolSpec, build_sdk, compile_schema
from codemode.sdkgen.documents import object_of
from codemode.sdkgen.validation import MAX_VIOLATIONS

CLOSED: dict[str, object] = {
    "type": "object",
    "properties": {"a": {"type": "string", "minLength": 2}, "n": {"type": "integer", "maximum": 9}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.mark.spec("SDK 3.3")
def test_a_valid_value_has_no_violations() -> None:
    validator = compile_schema(CLOSED, lenient=False)
    assert validator.violations({"a": "xy", "n": 3}) == ()
    assert validator.is_valid({"a": "xy"})
    assert validator.degraded == ()


@pytest.mark.spec("SDK 3.3", "SDK 3.4")
def test_every_violation_is_reported_with_pointer_keyword_and_a_message() -> None:
    found = compile_schema(CLOSED, lenient=False).violations({"n": 10, "zz": 1})
    assert {(v.pointer, v.keyword) for v in found} == {
        ("/n", "maximum"),
        ("", "required"),
        ("", "additionalProperties"),
    }
    assert {str(v) for v in found} == {
        "/n: expected at most 9, got 10",
        "/: 'a' is missing",
        "/: unknown: 'zz'",
    }


@pytest.mark.spec("SDK 3.4")
def test_echoes_and_the_number_of_violations_are_bounded() -> None:
    big = compile_schema({"type": "integer"}, lenient=False).violations("x" * 1_000_000)
    assert len(big[0].message) < 200
    many = compile_schema(
        {"type": "array", "items": {"type": "integer"}}, lenient=False
    ).violations(["x"] * 5_000)
    assert len(many) == MAX_VIOLATIONS


@pytest.mark.spec("SDK 3.4")
def test_an_echo_hides_nothing() -> None:
    found = compile_schema({"type": "integer"}, lenient=False).violations("\u202e</tools>```\x00")
    assert found[0].message.isprintable()
    assert "</tools>" not in found[0].message


@pytest.mark.spec("SDK 3.3")
def test_what_is_not_json_is_a_violation_and_no_exception() -> None:
    validator = compile_schema({"type": "string"}, lenient=False)
    assert validator.violations(object())
    assert not validator.is_valid({1, 2})


@pytest.mark.spec("SDK 3.2")
@pytest.mark.parametrize(
    "reference", ["file:///etc/passwd", "https://example.com/s.json", "other.json#/a", "#/nowhere"]
)
def test_no_reference_leaves_the_document(reference: str) -> None:
    schema: dict[str, object] = {"properties": {"a": {"$ref": reference}, "b": {"type": "integer"}}}
    with pytest.raises(SchemaError, match="ref"):
        compile_schema(schema, lenient=False)
    lenient = compile_schema(schema, lenient=True)
    assert len(lenient.degraded) == 1
    assert lenient.degraded[0].startswith("/properties/a/$ref: ")
    assert lenient.is_valid({"a": object.__doc__, "b": 1})
    assert not lenient.is_valid({"b": "x"})


@pytest.mark.spec("SDK 3.2")
def test_a_reference_in_data_is_data() -> None:
    schema: dict[str, object] = {"const": {"$ref": "file:///etc/passwd"}}
    assert compile_schema(schema, lenient=False).is_valid({"$ref": "file:///etc/passwd"})


@pytest.mark.spec("SDK 3.3")
@pytest.mark.parametrize("pattern", ["(?=a)b", r"(a)\1", "("])
def test_patterns_that_need_backtracking_are_refused_or_ignored(pattern: str) -> None:
    schema: dict[str, object] = {"properties": {"a": {"type": "string", "pattern": pattern}}}
    with pytest.raises(SchemaError, match="linear time"):
        compile_schema(schema, lenient=False)
    lenient = compile_schema(schema, lenient=True)
    assert lenient.is_valid({"a": "x"})
    assert not lenient.is_valid({"a": 1})


@pytest.mark.spec("SDK 3.3")
def test_a_nested_quantifier_is_matched_in_linear_time() -> None:
    validator = compile_schema({"type": "string", "pattern": "^(a+)+$"}, lenient=False)
    assert not validator.is_valid("a" * 100_000 + "b")


@pytest.mark.spec("SDK 3.2")
def test_a_schema_that_doubles_in_place_is_given_up_where_it_does() -> None:
    defs: dict[str, object] = {
        f"n{n}": {"allOf": [{"$ref": f"#/$defs/n{n + 1}"}] * 2} for n in range(40)
    }
    schema: dict[str, object] = {
        "properties": {"x": {"$ref": "#/$defs/n0"}, "y": {"type": "string"}},
        "$defs": {**defs, "n40": {"type": "string"}},
    }
    with pytest.raises(SchemaError, match="without bound"):
        compile_schema(schema, lenient=False)
    validator = compile_schema(schema, lenient=True)
    assert validator.is_valid({"x": 1, "y": "s"})
    assert not validator.is_valid({"y": 1})


@pytest.mark.spec("SDK 3.2")
def test_a_cycle_in_place_is_given_up_and_recursion_through_values_is_not() -> None:
    loop: dict[str, object] = {
        "$ref": "#/$defs/A",
        "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
    }
    assert compile_schema(loop, lenient=True).degraded
    node: dict[str, object] = {
        "type": "object",
        "properties": {"next": {"$ref": "#"}},
        "additionalProperties": False,
    }
    tree = compile_schema(node, lenient=False)
    assert tree.is_valid({"next": {"next": {}}})
    assert not tree.is_valid({"next": {"nxt": {}}})


@pytest.mark.spec("SDK 3.1")
def test_misnamed_types_are_read_as_what_they_mean_and_said() -> None:
    schema: dict[str, object] = {
        "type": "dict",
        "properties": {"a": {"type": "float"}, "b": {"type": "any"}},
    }
    validator = compile_schema(schema, lenient=True)
    assert not validator.is_valid({"a": "x"})
    assert validator.is_valid({"a": 1.5, "b": [1]})
    assert validator.degraded == (
        "/type: 'dict' is not a type; read as 'object'",
        "/properties/a/type: 'float' is not a type; read as 'number'",
        "/properties/b/type: 'any' is not a type; taken for any JSON",
    )


@pytest.mark.spec("SDK 3.1")
def test_the_old_list_of_items_is_checked_in_both_dialects() -> None:
    items: dict[str, object] = {
        "type": "array",
        "items": [{"type": "string"}],
        "additionalItems": False,
    }
    old = compile_schema(
        {"$schema": "http://json-schema.org/draft-07/schema#", **items}, lenient=False
    )
    new = compile_schema(items, lenient=True)
    for validator in (old, new):
        assert validator.is_valid(["x"])
        assert not validator.is_valid([1])
        assert not validator.is_valid(["x", "y"])


@pytest.mark.spec("SDK 3.1")
def test_strict_mode_lists_every_fault_with_its_pointer() -> None:
    schema: dict[str, object] = {
        "properties": {
            "a": {"type": "strnig"},
            "b": {"$ref": "#/no"},
            "c": {"pattern": "("},
            "d": {"minLength": -1},
        }
    }
    with pytest.raises(SchemaError) as caught:
        compile_schema(schema, lenient=False)
    assert [fault.pointer for fault in caught.value.faults] == [
        "/properties/a/type",
        "/properties/b/$ref",
        "/properties/c/pattern",
        "/properties/d/minLength",
    ]
    assert caught.value.pointer == "/properties/a/type"
    assert caught.value.message.count("\n") == 3


@pytest.mark.spec("SDK 3.1")
def test_a_key_that_is_no_text_costs_its_own_node_only() -> None:
    schema: dict[str, object] = {"properties": {"\ud800": {}, "a": {"type": "integer"}}}
    validator = compile_schema(schema, lenient=True)
    assert validator.degraded == (
        "/: text with lone surrogates, which is no JSON; cut or replaced",
    )
    assert not validator.is_valid({"a": "x"})


def test_the_schema_that_was_given_is_not_changed() -> None:
    schema: dict[str, object] = {"type": "dict", "properties": {"a": {"$ref": "#/no"}}}
    compile_schema(schema, lenient=True)
    assert schema == {"type": "dict", "properties": {"a": {"$ref": "#/no"}}}


@pytest.mark.parametrize("lenient", [True, False])
def test_the_boolean_schemas(lenient: bool) -> None:
    assert compile_schema(True, lenient=lenient).is_valid(3)
    assert not compile_schema(False, lenient=lenient).is_valid(3)


@pytest.mark.spec("SDK 3.1", "SDK 3.2")
def test_every_awkward_schema_compiles_leniently(awkward: list[ToolSpec]) -> None:
    for tool in awkward:
        compile_schema(tool.parameters, lenient=True).violations({"a": 1})
        if tool.output_schema is not None:
            compile_schema(tool.output_schema, lenient=True).violations([])


@pytest.mark.spec("SDK 3.2", "SDK 3.3")
@pytest.mark.parametrize(
    "name", ["Page[Item]", "A<B>", "A B", "Größe", "100%", "a%b", "a#b", "^|`"]
)
def test_a_definition_of_any_name_can_be_referred_to(name: str) -> None:
    schema: dict[str, object] = {
        "properties": {"k": {"type": "integer"}, "z": {"$ref": f"#/$defs/{name}"}},
        "$defs": {name: {"type": "string"}},
    }
    validator = compile_schema(schema, lenient=False)
    assert validator.is_valid({"k": 1, "z": "s"})
    assert not validator.is_valid({"z": 1})
    assert not validator.is_valid({"k": "x"})


@pytest.mark.spec("SDK 3.1", "SDK 3.2")
@pytest.mark.parametrize(
    "schema",
    [
        {"$id": "not a uri"},
        {"$id": 7},
        {"$schema": "https://elsewhere.example/draft-07/x"},
        {"$schema": 7},
        {"foo": {"$ref": "https://example.com/x"}, "properties": {"z": {"$ref": "#/foo"}}},
        {"properties": {f"z{n}": {"minLength": "1", "examples": "a"} for n in range(300)}},
    ],
)
def test_a_fault_never_costs_the_checks_of_another_node(schema: dict[str, object]) -> None:
    properties = {**object_of(schema.get("properties")), "k": {"type": "integer"}}
    whole = {**schema, "properties": properties}
    validator = compile_schema(whole, lenient=True)
    assert validator.is_valid({"k": 1})
    assert not validator.is_valid({"k": "x"})


@pytest.mark.spec("SDK 3.1")
def test_the_exclusive_bounds_of_draft_4_are_bounds_without_their_dialect_too() -> None:
    number: dict[str, object] = {"type": "number", "minimum": 0, "exclusiveMinimum": True}
    schema: dict[str, object] = {"properties": {"p": number}}
    with pytest.raises(SchemaError, match="draft 4"):
        compile_schema(schema, lenient=False)
    draft_4 = {"$schema": "http://json-schema.org/draft-04/schema#", **schema}
    for validator in (
        compile_schema(schema, lenient=True),
        compile_schema(draft_4, lenient=False),
    ):
        assert validator.is_valid({"p": 1})
        assert not validator.is_valid({"p": 0})


@pytest.mark.spec("SDK 3.2")
def test_a_long_chain_of_references_is_no_deep_recursion() -> None:
    defs: dict[str, object] = {
        f"n{n}": {"properties": {"x": {"$ref": f"#/$defs/n{n + 1}"}}} for n in range(3_000)
    }
    schema = {"$ref": "#/$defs/n0", "$defs": {**defs, "n3000": {"type": "string"}}}
    assert compile_schema(schema, lenient=True).is_valid({})


NULLABLE: dict[str, object] = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "nullable": True},
        "b": {"type": "string", "enum": ["x"], "nullable": True},
        "c": {"type": ["integer"], "const": 3, "nullable": True},
        "d": {"type": "string", "nullable": False},
        "e": {"nullable": True},
        "nullable": {"type": "boolean"},
    },
}


@pytest.mark.spec("SDK 2.2", "SDK 3.1")
def test_what_its_author_calls_nullable_takes_null_in_the_type_and_in_the_check() -> None:
    checked = compile_schema(NULLABLE, lenient=False)
    assert checked.degraded == ()
    good: list[object] = [{"a": None, "b": None, "c": None}, {"a": "x", "b": "x", "c": 3}]
    bad: list[object] = [{"a": 3}, {"b": "y"}, {"c": 4}, {"d": None}, {"nullable": None}]
    assert all(map(checked.is_valid, good))
    assert not any(map(checked.is_valid, bad))
    line = build_sdk([ToolSpec("f", "", NULLABLE)]).catalog().splitlines()[1]
    assert line == 'f(a?: str|None, b?: "x"|None, c?: 3|None, d?, e?: Any, nullable?: bool)'
