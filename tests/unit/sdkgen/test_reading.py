"""JSON Schema -> shapes, seen through the compact notation."""

from __future__ import annotations

import pytest

from codemode.sdkgen.compact import FULL, notation
from codemode.sdkgen.documents import own_copy, resolve
from codemode.sdkgen.reading import read


def typed(schema: dict[str, object]) -> str:
    reading = read(own_copy(schema)[0])
    return notation(reading.shape, reading.definitions, FULL)


def inside(schema: object, **root: object) -> str:
    text = typed({"type": "object", "properties": {"a": schema}, "required": ["a"], **root})
    return text.removeprefix("{a").removesuffix("}").removeprefix(": ")


NODE = {
    "type": "object",
    "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
}


@pytest.mark.spec("SDK 3.1")
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, "Any"),
        (True, "Any"),
        ({"type": "string"}, ""),
        ({"type": "integer"}, "int"),
        ({"type": "number"}, "float"),
        ({"type": "boolean"}, "bool"),
        ({"type": "null"}, "None"),
        ({"type": ["string", "null"]}, "str|None"),
        ({"type": "string", "format": "date"}, ""),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "str|None"),
        ({"oneOf": [{"const": "a"}, {"const": "b"}]}, '"a"|"b"'),
        ({"enum": ["a", 1, 1.5, True, None]}, '"a"|1|1.5|True|None'),
        ({"const": 3}, "3"),
        ({"type": "integer", "enum": ["x", 2]}, '"x"|2'),
        ({"type": "array"}, "list"),
        (
            {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
            "list[str|None]",
        ),
        (
            {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "integer"}],
                "items": False,
            },
            "[str, int]",
        ),
        ({"type": "array", "items": [{"type": "string"}]}, "[str, ...]"),
        # As pydantic writes a tuple.
        ({"prefixItems": [{"type": "string"}, {}], "minItems": 2, "maxItems": 2}, "[str, Any]"),
        ({"prefixItems": [{"type": "string"}], "maxItems": 2}, "[str, ...]"),
        ({"type": "object"}, "dict"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "dict[str, int]"),
        ({"type": "object", "additionalProperties": True}, "dict"),
        ({"type": "object", "additionalProperties": False}, "{}"),
        (
            {
                "type": "object",
                "patternProperties": {"^x": {"type": "string"}},
                "additionalProperties": False,
            },
            "dict[str, str]",
        ),
        ({"type": "object", "propertyNames": {"maxLength": 3}}, "dict"),
        ({"properties": {"x": {"type": "integer"}}}, "{x?: int}"),
        ({"items": {"type": "integer"}}, "list[int]"),
        (
            {
                "type": "object",
                "properties": {"x": {}},
                "additionalProperties": {"type": "integer"},
            },
            "{x?: Any, *: int}",
        ),
        ({"not": {"type": "string"}}, "Any"),
        ({"if": {"type": "string"}, "then": {"maxLength": 3}}, "Any"),
        ({"type": "dict", "properties": {"x": {"type": "float"}}}, "{x?: float}"),
    ],
)
def test_each_keyword_is_understood(schema: object, expected: str) -> None:
    assert inside(schema) == expected


@pytest.mark.spec("SDK 3.1")
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {
                "allOf": [
                    {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
                    {"type": "object", "properties": {"y": {"type": "integer"}}},
                ]
            },
            "{x, y?: int}",
        ),
        ({"allOf": [{"type": "number"}, {"type": "integer"}]}, "int"),
        ({"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}, '"b"'),
        (
            {
                "type": "object",
                "properties": {"x": {"type": "string"}},
                "anyOf": [{"required": ["x"]}, {"required": ["y"]}],
            },
            "{x?}",
        ),
        ({"type": "string", "anyOf": [{"minLength": 3}, {"pattern": "x"}]}, ""),
        ({"allOf": [{"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"type": "string"}]}, ""),
    ],
)
def test_intersections_admit_what_all_parts_admit(schema: object, expected: str) -> None:
    assert inside(schema) == expected


@pytest.mark.spec("SDK 3.1")
def test_a_reference_means_its_definition_and_siblings_narrow_it() -> None:
    defs = {"N": {"type": "number"}, "E": {"enum": ["u", "v"]}}
    assert inside({"$ref": "#/$defs/N", "minimum": 5}, **{"$defs": defs}) == "float"
    assert inside({"$ref": "#/$defs/N", "type": "integer"}, **{"$defs": defs}) == "int"
    assert inside({"$ref": "#/definitions/E"}, definitions=defs) == '"u"|"v"'


@pytest.mark.spec("SDK 3.1")
def test_recursion_is_a_name_that_is_written_out_once() -> None:
    assert (
        inside({"$ref": "#/$defs/Node"}, **{"$defs": {"Node": NODE}}) == "Node{kids?: list[Node]}"
    )
    assert typed({"$ref": "#/$defs/Node", "$defs": {"Node": NODE}}) == "Node{kids?: list[Node]}"
    assert inside({"$ref": "#"}).startswith("Root{a: Root")


@pytest.mark.spec("SDK 3.1")
def test_a_cycle_of_bare_references_is_any() -> None:
    defs = {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}
    assert inside({"$ref": "#/$defs/A"}, **{"$defs": defs}) == "Any"


@pytest.mark.spec("SDK 3.1", "SDK 3.2")
@pytest.mark.parametrize(
    "reference", ["#/$defs/Gone", "file:///etc/passwd", "https://example.com/x", "other.json", 7]
)
def test_a_reference_that_cannot_be_followed_degrades_its_own_node_only(reference: object) -> None:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"a": {"$ref": reference}, "b": {"type": "integer"}},
    }
    reading = read(schema)
    assert typed(schema) == "{a?: Any, b?: int}"
    assert [note.pointer for note in reading.notes] == ["/properties/a"]


@pytest.mark.spec("SDK 3.2")
def test_a_doubling_chain_of_references_is_read_in_bounded_work() -> None:
    defs: dict[str, object] = {
        f"n{n}": {
            "type": "object",
            "properties": {side: {"$ref": f"#/$defs/n{n + 1}"} for side in "lr"},
        }
        for n in range(200)
    }
    schema: dict[str, object] = {
        "$ref": "#/$defs/n0",
        "$defs": {**defs, "n200": {"type": "string"}},
    }
    reading = read(schema)
    assert reading.notes
    assert len(notation(reading.shape, reading.definitions, FULL)) <= FULL.characters


@pytest.mark.spec("SDK 3.2")
def test_deep_schemas_are_cut_and_the_cut_is_said() -> None:
    schema: dict[str, object] = {}
    for _ in range(50_000):
        schema = {"type": "array", "items": schema}
    copied, notes = own_copy(schema)
    assert notes == ("deeper than 64 levels",)
    assert typed(copied).startswith("list[list[")


@pytest.mark.spec("SDK 3.2")
def test_a_schema_that_holds_itself_is_cut() -> None:
    schema: dict[str, object] = {"type": "object"}
    schema["properties"] = {"again": schema}
    assert own_copy(schema)[1]


@pytest.mark.spec("SDK 3.2")
def test_pointers_and_anchors_resolve_inside_the_document_only() -> None:
    root: dict[str, object] = {
        "$defs": {"a/b": {"$anchor": "here", "type": "string"}, "list": [{"type": "null"}]},
        "default": {"$anchor": "data"},
    }
    assert (
        resolve(root, "#/$defs/a~1b")
        == resolve(root, "#here")
        == {"$anchor": "here", "type": "string"}
    )
    assert resolve(root, "#/$defs/list/0") == {"type": "null"}
    assert resolve(root, "#") == root
    assert resolve(root, "#data") is None
    assert resolve(root, "#/$defs/list/9") is None
    assert resolve(root, "https://example.com/#/$defs") is None
