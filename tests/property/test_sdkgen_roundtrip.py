"""A valid arguments object, written as a call in the SDK's own dialect, arrives exactly."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from round_trip import signature

from codemode.sandbox.guest.bindings import arrange
from codemode.sdkgen import ToolSpec, build_sdk, compile_schema

WORDS = ["from", "$eq", "Idempotency-Key", "{{userName}}", "class", "self", "name", "model_dump"]
KEYS = st.sampled_from([*WORDS, "a-b", "a_b", "a.b", "__token", "args", "kwargs"]) | st.text(
    min_size=1, max_size=8
)
#: Schemas, and the values that are valid under them.
VALUES: list[tuple[dict[str, Any], st.SearchStrategy[Any]]] = [
    ({"type": "string"}, st.text(max_size=5)),
    ({"type": "integer"}, st.integers(-9, 9)),
    ({"type": ["string", "null"]}, st.none() | st.text(max_size=5)),
    ({"enum": ["a", 1, None]}, st.sampled_from(["a", 1, None])),
    ({"type": "array", "items": {"type": "integer"}}, st.lists(st.integers(0, 9), max_size=3)),
    ({"type": "object"}, st.dictionaries(KEYS, st.integers(0, 9), max_size=3)),
    ({}, st.none() | st.booleans() | st.dictionaries(KEYS, st.text(max_size=3), max_size=2)),
]


@st.composite
def cases(draw: st.DrawFn) -> tuple[ToolSpec, dict[str, Any]]:
    """A tool, and arguments that its schema admits."""
    properties: dict[str, Any] = {}
    arguments: dict[str, Any] = {}
    required: list[str] = []
    for key in draw(st.lists(KEYS, max_size=5, unique=True)):
        schema, values = draw(st.sampled_from(VALUES))
        properties[key] = schema
        if draw(st.booleans()):
            required.append(key)
        if key in required or draw(st.booleans()):
            arguments[key] = draw(values)
    root: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    if draw(st.booleans()):
        root["additionalProperties"] = False
    return ToolSpec("f", "", root), arguments


@pytest.mark.spec("SDK 1.4", "SDK 2.1", "SDK 2.2")
@given(cases(), st.data())
@settings(max_examples=300, deadline=None)
def test_every_spelling_of_a_call_arrives_as_the_same_arguments(
    case: tuple[ToolSpec, dict[str, Any]], data: st.DataObject
) -> None:
    tool, arguments = case
    assert compile_schema(tool.parameters, lenient=False).violations(arguments) == ()
    (binding,) = build_sdk([tool]).bindings
    names = {parameter.key: parameter.name for parameter in binding.parameters}
    shape = signature(binding)

    by_alias = {names[key]: value for key, value in arguments.items()}
    by_key = dict(arguments)
    mixed = {names[k] if data.draw(st.booleans()) else k: v for k, v in arguments.items()}
    for kwargs in (by_alias, by_key, mixed):
        assert arrange(shape, (), kwargs) == arguments

    ordered = [parameter.key for parameter in binding.parameters]
    count = next((at for at, key in enumerate(ordered) if key not in arguments), len(ordered))
    positional = tuple(arguments[key] for key in ordered[:count])
    rest = {names[key]: value for key, value in arguments.items() if key not in ordered[:count]}
    is_ambiguous = len(positional) == 1 and isinstance(positional[0], dict) and not rest
    if not is_ambiguous or binding.parameters[0].is_object:
        assert arrange(shape, positional, rest) == arguments
    if arguments and not binding.parameters[0].is_object:
        assert arrange(shape, (dict(arguments),), {}) == arguments


@pytest.mark.spec("SDK 2.1")
def test_required_parameters_are_positional_before_optional_ones() -> None:
    schema: dict[str, Any] = {"properties": {"a": {}, "b": {}, "c": {}}, "required": ["c"]}
    (binding,) = build_sdk([ToolSpec("f", "", schema)]).bindings
    assert arrange(signature(binding), (1, 2, 3), {}) == {"c": 1, "a": 2, "b": 3}


@pytest.mark.spec("SDK 2.3")
def test_unknown_arguments_are_refused_at_a_closed_root_only() -> None:
    closed: dict[str, Any] = {
        "type": "object",
        "properties": {"a": {}},
        "additionalProperties": False,
    }
    (shut,) = build_sdk([ToolSpec("f", "", closed)]).bindings
    with pytest.raises(ValueError, match="zz"):
        arrange(signature(shut), (), {"zz": 1})
    (open_root,) = build_sdk(
        [ToolSpec("f", "", {"type": "object", "properties": {"a": {}}})]
    ).bindings
    assert arrange(signature(open_root), (), {"zz": 1}) == {"zz": 1}
