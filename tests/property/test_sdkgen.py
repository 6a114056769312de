"""Properties of the generator: nothing breaks it, and what it says is true of the schema."""

from __future__ import annotations

import ast
import random
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemode.sdkgen import (
    ToolSpec,
    build_sdk,
    compile_schema,
    explain_violations,
    unwrap_result,
    wire_names,
)
from codemode.sdkgen.documents import list_of, object_of, own_copy
from codemode.sdkgen.reading import read
from codemode.sdkgen.shapes import (
    AnyJson,
    Choice,
    ListOf,
    MapOf,
    Named,
    Record,
    Scalar,
    Shape,
    TupleOf,
    Union,
)
from codemode.sdkgen.text import docstring, folded, literal

TEXT = st.text(st.characters(codec=None), max_size=20)
KEYS = st.one_of(
    st.sampled_from(["a", "from", "$eq", "self", "items", "a-b", "a_b", "name", "str"]), TEXT
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-100, 100), st.floats(allow_nan=False, width=16), TEXT
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
REFERENCES = st.sampled_from(
    ["#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/nowhere", "file:///x", "#a"]
)


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(
                ["object", "array", "string", "integer", "number", "null", "dict", "any"]
            )
            | st.lists(st.sampled_from(["string", "null", "object"]), max_size=3),
            "properties": st.dictionaries(KEYS, inner, max_size=3),
            "required": st.lists(KEYS, max_size=2),
            "items": inner | st.lists(inner, max_size=2),
            "prefixItems": st.lists(inner, max_size=2),
            "additionalProperties": inner | st.booleans(),
            "patternProperties": st.dictionaries(
                st.sampled_from(["^a", "(", ".*"]), inner, max_size=2
            ),
            "anyOf": st.lists(inner, max_size=3),
            "oneOf": st.lists(inner, max_size=3),
            "allOf": st.lists(inner, max_size=3),
            "enum": st.lists(JSON, max_size=4),
            "const": JSON,
            "$ref": REFERENCES,
            "$defs": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "description": TEXT,
            "default": JSON,
            "pattern": st.sampled_from(["x", "(?=a)", "^(a+)+$"]),
            "minimum": st.integers(-3, 3) | TEXT,
            "not": inner,
            "if": inner,
        },
    )


#: Schemas as strangers write them: mostly sensible, often contradictory, sometimes not schemas.
SCHEMAS = st.recursive(st.booleans() | JSON, _schemas, max_leaves=8)
ROOTS = st.dictionaries(KEYS, JSON, max_size=3) | _schemas(SCHEMAS)
TOOLS = st.builds(ToolSpec, KEYS, TEXT, ROOTS, st.none() | ROOTS, st.none() | KEYS)
SETTINGS = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.spec("SDK 3.1", "SDK 3.2", "SDK 4.4", "SDK 6.2")
@given(st.lists(TOOLS, max_size=5))
@SETTINGS
def test_any_set_of_tools_renders_in_every_form(tools: list[ToolSpec]) -> None:
    sdk = build_sdk(tools)
    assert len({binding.path for binding in sdk.bindings}) == len(tools)
    for is_async in (False, True):
        ast.parse(sdk.stubs(is_async=is_async))
    ast.parse(sdk.stubs(is_strict=True))
    for budget in (None, 1_000, 50):
        assert all(line.isprintable() for line in sdk.catalog(budget).splitlines())
    assert sdk.prompt("both").count("```") in (2, 4)
    for binding in sdk.bindings:
        sdk.describe(binding.path)
        sdk.explain(binding.path).text()
        names = [parameter.name for parameter in binding.parameters]
        assert len(set(names)) == len(names)
        assert all(name.isidentifier() for name in names)
    for dialect in ("openai-chat", "mcp"):
        assert len(wire_names(tools, dialect)) == len(tools)


@pytest.mark.spec("SDK 4.5")
@given(st.lists(TOOLS, max_size=5), st.randoms(use_true_random=False))
@SETTINGS
def test_the_order_of_the_tools_changes_no_byte(
    tools: list[ToolSpec], shuffler: random.Random
) -> None:
    shuffled = list(tools)
    shuffler.shuffle(shuffled)
    one, other = build_sdk(tools), build_sdk(shuffled)
    assert (one.sha256, one.prompt(), one.stubs()) == (other.sha256, other.prompt(), other.stubs())


@pytest.mark.spec("SDK 3.1", "SDK 3.3")
@given(ROOTS, JSON)
@SETTINGS
def test_a_type_admits_every_value_that_the_schema_admits(
    schema: dict[str, Any], value: Any
) -> None:
    schema = _with_types(schema)
    reading = read(own_copy(schema)[0])
    validator = compile_schema(schema, lenient=True)
    if not validator.degraded and validator.is_valid(value):
        assert _admits(reading.shape, value, reading.definitions, 0), reading.shape


def _with_types(schema: Any) -> Any:
    """The schema with the types said that its keywords imply: there the generator reads more in."""
    parts = list_of(schema)
    if isinstance(schema, list):
        return [_with_types(part) for part in parts]
    if not isinstance(schema, dict):
        return schema
    whole: dict[str, Any] = {
        key: _with_types(value) if key not in ("enum", "const", "default") else value
        for key, value in cast("dict[str, Any]", schema).items()
    }
    if "type" not in whole and {"properties", "patternProperties", "additionalProperties"} & set(
        whole
    ):
        whole["type"] = "object"
    elif "type" not in whole and {"items", "prefixItems"} & set(whole):
        whole["type"] = "array"
    return whole


KINDS: dict[str, type | tuple[type, ...]] = {
    "str": str,
    "bool": bool,
    "None": type(None),
    "int": int,
    "float": (int, float),
}


def _admits(shape: Shape, value: Any, definitions: Any, depth: int) -> bool:
    if depth > 40:
        return True

    def inner(part: Shape, item: Any) -> bool:
        return _admits(part, item, definitions, depth + 1)

    listed, mapped = list_of(value), object_of(value)
    items = listed if isinstance(value, list) else None
    keys = mapped if isinstance(value, dict) else None
    match shape:
        case Scalar(name):
            is_whole = name == "int" and isinstance(value, float) and value.is_integer()
            is_bool = isinstance(value, bool) and name != "bool"
            return (isinstance(value, KINDS[name]) or is_whole) and not is_bool
        case Choice(values):
            is_bool = isinstance(value, bool)
            return any(value == one and is_bool == isinstance(one, bool) for _, one in values)
        case ListOf(each):
            return items is not None and all(inner(each, item) for item in items)
        case TupleOf(parts, rest):
            if items is None:
                return False
            heads = all(inner(part, item) for part, item in zip(parts, items, strict=False))
            tail = items[len(parts) :]
            return heads and (not tail if rest is None else all(inner(rest, one) for one in tail))
        case MapOf(each):
            return keys is not None and all(inner(each, item) for item in keys.values())
        case Record(fields):
            return keys is not None and all(
                inner(field.shape, keys[field.key]) if field.key in keys else not field.required
                for field in fields
            )
        case Union(options):
            return any(inner(option, value) for option in options)
        case Named(pointer):
            return inner(definitions[pointer], value)
        case AnyJson():
            return True


@pytest.mark.spec("SDK 3.4")
@given(ROOTS, JSON)
@SETTINGS
def test_any_violation_of_any_schema_is_explained_within_bounds(
    schema: dict[str, Any], value: Any
) -> None:
    violations = compile_schema(schema, lenient=True).violations(value)
    report = explain_violations(schema, value, violations, known=())
    assert len(report.text) < 20_000
    assert all(line.isprintable() for line in report.text.splitlines())


@pytest.mark.spec("SDK 4.4")
@given(st.text(st.characters(codec=None)))
@SETTINGS
def test_no_text_leaves_a_docstring_a_line_or_a_literal(text: str) -> None:
    function = ast.parse(f"def f():\n{docstring(text, '    ')}\n").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert len(function.body) == 1
    assert folded(text, 60) == "" or folded(text, 60).isprintable()
    assert ast.literal_eval(literal(text)) == text


@pytest.mark.spec("SDK 2.4")
@given(
    st.dictionaries(
        st.sampled_from(["content", "structuredContent", "isError", "_meta"]),
        JSON | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": TEXT})),
    )
)
@SETTINGS
def test_any_envelope_unwraps(envelope: dict[str, Any]) -> None:
    unwrap_result(envelope)
