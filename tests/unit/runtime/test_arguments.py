"""From what was submitted to the frozen arguments object: order, messages, coercion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.runtime.arguments import ArgumentsError, Prepared, prepare_arguments, read_arguments
from codemode.runtime.contract import Contract, compile_contract
from codemode.runtime.definition import Tool

CLOSED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "default": 10},
        "tags": {"type": "array", "items": {"type": "string"}},
        "where": {"anyOf": [{"type": "object"}, {"type": "null"}]},
    },
    "required": ["query"],
    "additionalProperties": False,
}
OPEN = {**CLOSED, "additionalProperties": True}


def contract(parameters: dict[str, Any] = CLOSED, **options: Any) -> Contract:
    return compile_contract(Tool.raw("search", "", parameters, lambda a, r: None, **options))


def prepared(submitted: object, of: Contract) -> Prepared:
    return prepare_arguments(of, read_arguments(submitted))


def refusal(submitted: object, of: Contract) -> ArgumentsError:
    with pytest.raises(ArgumentsError) as caught:
        prepared(submitted, of)
    return caught.value


@pytest.mark.spec("PIPELINE 2.3")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1, "a": 2}', "occurs twice"),
        ('{"a": {"b": 1, "b": 2}}', "occurs twice"),
        ("[1]", "must be a JSON object, not a list"),
        ("null", "must be a JSON object, not null"),
        ('{"a": 1} x', "Extra data"),
        ("", "not JSON"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": -Infinity}', "Infinity is not JSON"),
        ('{"a": ' + "9" * 5000 + "}", "too many digits"),
        ('{"a": 9223372036854775808}', "64-bit"),
        ('{"a": 1e999}', "infinities"),
        ('{"a": "\\ud800"}', "surrogates"),
    ],
)
def test_text_that_is_not_one_strict_object_is_refused(text: str, says: str) -> None:
    with pytest.raises(ArgumentsError, match=says):
        read_arguments(text)


@pytest.mark.spec("PIPELINE 3.3", "PIPELINE 2.3")
def test_deep_text_is_read_by_our_own_reader_with_the_same_rules() -> None:
    levels = 4_000
    text = '{"a": ' + "[" * levels + "]" * levels + "}"
    value = read_arguments(text)
    depth = 0
    node = value["a"]
    while node:
        node = node[0]
        depth += 1
    assert depth == levels - 1
    for bad in (
        '{"a": ' + "[" * levels + "]" * levels + "} x",
        '{"a": ' + '{"k":' * levels + '{"b":1,"b":2}' + "}" * levels + "}",
    ):
        with pytest.raises(ArgumentsError):
            read_arguments(bad)
    with pytest.raises(ArgumentsError, match="nested deeper"):
        read_arguments('{"a": ' + "[" * 6_000 + "]" * 6_000 + "}")


@pytest.mark.spec("PIPELINE 2.4")
def test_every_fault_is_listed_at_once() -> None:
    error = refusal('{"qery": "x", "limit": 0, "tags": [1]}', contract())
    assert error.missing == ("query",)
    assert error.unknown == ("qery",)
    assert error.allowed == ("query", "limit", "tags", "where")
    assert error.nearest == {"qery": "query"}
    assert {"/limit", "/tags/0"} <= {pointer for pointer, _ in error.violations}
    assert "did you mean 'query'?" in error.message
    assert error.as_meta()["missing"] == ["query"]


@pytest.mark.spec("PIPELINE 2.4", "PIPELINE 2.6")
def test_at_an_open_root_unknown_names_are_sent_and_a_failure_names_the_nearest() -> None:
    sent = prepared('{"query": "x", "other": 1}', contract(OPEN))
    assert sent.value == {"query": "x", "other": 1}
    error = refusal('{"qery": "x"}', contract(OPEN))
    assert error.unknown == ()
    assert error.nearest == {"qery": "query"}
    assert "did you mean 'query'?" in error.message


@pytest.mark.spec("PIPELINE 2.5")
def test_a_default_of_the_schema_is_never_sent() -> None:
    assert prepared('{"query": "x"}', contract()).value == {"query": "x"}


@pytest.mark.spec("PIPELINE 2.3")
def test_normalisation_comes_first_is_pure_and_is_noticed() -> None:
    seen: list[Any] = []

    def normalise(arguments: dict[str, Any]) -> dict[str, Any]:
        seen.append(dict(arguments))
        arguments["query"] = arguments.pop("q", arguments.get("query"))
        return arguments

    of = contract(normalize_arguments=normalise)
    submitted = read_arguments('{"q": "x"}')
    first = prepare_arguments(of, submitted)
    second = prepare_arguments(of, submitted)
    assert first.value == second.value == {"query": "x"}
    assert first.is_changed
    assert submitted == {"q": "x"}
    assert not prepared('{"query": "x"}', of).is_changed


BAD_NORMALISERS: list[Callable[[Any], Any]] = [
    lambda a: 1 / 0,
    lambda a: None,
    lambda a: {"query": object()},
]


@pytest.mark.spec("PIPELINE 2.3", "PIPELINE 2.4")
@pytest.mark.parametrize("bad", BAD_NORMALISERS)
def test_a_normaliser_that_fails_is_a_bad_argument(bad: Any) -> None:
    assert "could not be read" in refusal("{}", contract(normalize_arguments=bad)).message


@pytest.mark.spec("PIPELINE 2.3")
def test_the_definitions_own_validation_comes_last() -> None:
    def validate(arguments: Any) -> list[str]:
        return ["query must not be empty"] if not arguments["query"] else []

    of = contract(validate_arguments=validate)
    assert refusal('{"query": ""}', of).message.endswith("query must not be empty")
    assert "missing: 'query'" in refusal("{}", of).message
    assert prepared('{"query": "x"}', of).value == {"query": "x"}
    assert (
        "ZeroDivision"
        in refusal(
            '{"query": "x"}', contract(validate_arguments=lambda a: ["ZeroDivision"])
        ).message
    )
    assert (
        "division by zero"
        in refusal(
            '{"query": "x"}',
            contract(validate_arguments=lambda a: [str(1 / 0)]),
        ).message
    )


@pytest.mark.spec("PIPELINE 2.2")
def test_an_injected_parameter_is_unknown_at_an_open_root_too() -> None:
    of = contract(OPEN, injected_parameters=frozenset({"run"}))
    error = refusal('{"query": "x", "run": {}}', of)
    assert error.unknown == ("run",)
    assert "set by the runtime" in error.message


@pytest.mark.spec("PIPELINE 2.7")
def test_a_tool_that_validates_its_own_arguments_is_not_judged_by_the_schema() -> None:
    of = contract(validates_own_arguments=True)
    assert prepared('{"limit": "many"}', of).value == {"limit": "many"}
    refusal('{"limit": "many"}', contract())


@pytest.mark.spec("PIPELINE 2.10")
@pytest.mark.parametrize(
    ("submitted", "received"),
    [
        ('{"query": "x", "limit": "5"}', {"query": "x", "limit": 5}),
        ('{"query": "x", "tags": "[\\"a\\"]"}', {"query": "x", "tags": ["a"]}),
        ('{"query": "x", "where": "{\\"a\\": 1}"}', {"query": "x", "where": {"a": 1}}),
        ('{"query": "5"}', {"query": "5"}),
    ],
)
def test_the_declared_coercion_decodes_only_where_the_schema_wants_it(
    submitted: str, received: Any
) -> None:
    result = prepared(submitted, contract(coerces=True))
    assert result.value == received
    assert result.is_coerced == (received != read_arguments(submitted))
    assert result.is_changed == result.is_coerced


@pytest.mark.spec("PIPELINE 2.10")
@pytest.mark.parametrize(
    "submitted",
    [
        '{"query": "x", "limit": "0"}',
        '{"query": "x", "limit": "five"}',
        '{"query": "x", "tags": "[1]"}',
        '{"query": "x", "limit": "NaN"}',
        '{"query": "x", "limit": "true"}',
    ],
)
def test_coercion_never_makes_a_bad_value_pass(submitted: str) -> None:
    refusal(submitted, contract(coerces=True))
    refusal(submitted, contract())


@pytest.mark.spec("PIPELINE 3.1", "PIPELINE 3.2")
def test_what_a_program_submitted_is_copied_and_frozen() -> None:
    source = {"query": "x", "tags": ["a"]}
    value = prepared(source, contract()).value
    source["tags"].append("b")  # type: ignore[attr-defined]
    assert value == {"query": "x", "tags": ["a"]}
    with pytest.raises(TypeError):
        value["tags"].append("c")
    with pytest.raises(ArgumentsError, match="must be an object"):
        read_arguments([1])
    with pytest.raises(ArgumentsError) as caught:
        read_arguments({"query": {1, 2}})
    assert caught.value.violations[0][0] == "/query"
