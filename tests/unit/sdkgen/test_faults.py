"""INVALID_ARGS, explained."""

from __future__ import annotations

import pytest

from codemode.sdkgen import compile_schema, did_you_mean, explain_violations
from codemode.sdkgen.faults import ArgumentsReport

SHAPES: dict[str, object] = {
    "type": "object",
    "properties": {
        "shape": {
            "oneOf": [
                {
                    "title": "Circle",
                    "type": "object",
                    "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
                    "required": ["kind", "r"],
                },
                {
                    "title": "Square",
                    "type": "object",
                    "properties": {"kind": {"const": "square"}, "side": {"type": "number"}},
                    "required": ["kind", "side"],
                },
            ]
        },
        "maxResults": {"type": "integer"},
        "query": {"type": "string"},
    },
    "required": ["query"],
}


def explain(value: object, schema: dict[str, object] = SHAPES) -> ArgumentsReport:
    violations = compile_schema(schema, lenient=False).violations(value)
    return explain_violations(schema, value, violations, known=())


@pytest.mark.spec("SDK 3.4", "PIPELINE 2.4")
def test_missing_unknown_allowed_and_the_likely_typo() -> None:
    report = explain({"qurey": "x"}, {**SHAPES, "additionalProperties": False})
    assert report.missing == ("query",)
    assert report.unknown == ("qurey",)
    assert report.allowed == ("query", "shape", "maxResults")
    assert report.nearest == {"qurey": "query"}
    assert "unknown: 'qurey'; did you mean 'query'?" in report.text
    assert "valid parameters: query: str, " in report.text


@pytest.mark.spec("SDK 2.3", "SDK 3.4")
def test_at_an_open_root_a_failure_names_the_nearest_declared_name() -> None:
    report = explain({"query": 3, "max_results": 5})
    assert report.nearest == {"max_results": "maxResults"}


@pytest.mark.spec("SDK 3.4")
def test_the_branch_that_was_meant_is_named_with_what_it_lacks() -> None:
    report = explain({"query": "x", "shape": {"kind": "square", "sid": 2}})
    assert report.branches["/shape"] == "nearest is form 2 of 2 (Square): 'side' is missing"
    assert report.branches["/shape"] in report.text


@pytest.mark.spec("SDK 3.4")
def test_two_forms_that_both_fit_are_said() -> None:
    schema: dict[str, object] = {
        "properties": {"n": {"oneOf": [{"type": "integer"}, {"type": "number"}]}}
    }
    assert explain({"n": 1}, schema).branches["/n"] == "forms 1, 2 all fit; exactly one may"


@pytest.mark.spec("SDK 3.4")
def test_the_report_is_bounded_and_inert() -> None:
    report = explain({"\u202e" * 50: "x" * 100_000, **{f"k{n}": n for n in range(500)}})
    assert len(report.text) < 6_000
    assert len(report.echo) < 100
    assert "\u202e" not in report.text


@pytest.mark.parametrize("value", [None, [], "x", 3, {}])
def test_any_value_can_be_explained(value: object) -> None:
    assert explain(value).text


@pytest.mark.spec("SDK 3.4")
@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("maxresults", {"max_results", "query"}, "max_results"),
        ("file_path", {"path", "content"}, "path"),
        ("qurey", {"query"}, "query"),
        ("zzz", {"query", "path"}, None),
        ("x", set[str](), None),
    ],
)
def test_did_you_mean(name: str, known: set[str], meant: str | None) -> None:
    assert did_you_mean(name, known) == meant


ORDER: dict[str, object] = {
    "type": "object",
    "properties": {
        "order": {
            "type": "object",
            "properties": {"sku": {"type": "string"}, "amount": {"type": "integer"}},
            "required": ["sku"],
            "additionalProperties": False,
        },
        "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "ids": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]},
        "state": {"type": "string", "enum": ["open", "closed"]},
        "country": {"enum": [f"country-{number}" for number in range(300)]},
        "never": False,
        "note": {"type": ["null", "string"]},
        "meta": {"type": "object", "propertyNames": {"pattern": "^x-"}},
        "two\nlines": {"type": "string"},
    },
    "if": {"required": ["note"]},
    "then": {"required": ["state"]},
    "unevaluatedProperties": False,
}


@pytest.mark.spec("SDK 3.4")
@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (
            {"order": {"skus": "x"}},
            ["/order: 'sku' is missing; was it meant by 'skus'?", "did you mean 'sku'?"],
        ),
        ({"order": 3}, ["order?: {sku, amount?: int}"]),
        ({"limit": "all"}, ['/limit: expected an integer or null, got "all"']),
        ({"ids": ["x"]}, ["nearest is form 2 of 2: /0: expected an integer"]),
        ({"country": "countri-257"}, ['(300 values); did you mean "country-257"?']),
        ({"never": 1}, ["/never: no value is allowed here"]),
        ({"note": 3, "state": "open"}, ["/note: expected a string or null, got 3"]),
        ({"note": "x"}, ["missing: 'state'"]),
        ({"meta": {"y": 1}}, ["/meta: has a key that is not allowed: ", "^x-"]),
        ({"states": "open"}, ["unknown: 'states'; did you mean 'state'?"]),
        ({"two\nlines": 3}, ["/two lines: expected a string", '"two\\nlines"?: str']),
    ],
)
def test_each_fault_says_where_what_was_expected_and_what_was_likely_meant(
    value: object, lines: list[str]
) -> None:
    text = explain(value, ORDER).text
    for line in lines:
        assert line in text


@pytest.mark.spec("SDK 3.4")
def test_a_list_of_values_says_the_type_too() -> None:
    lines = explain({"state": 3}, ORDER).text.splitlines()
    assert lines[:-1] == ['/state: expected one of "open", "closed", got 3']


@pytest.mark.spec("SDK 3.4")
def test_names_that_a_pattern_allows_are_told_by_the_pattern() -> None:
    schema: dict[str, object] = {
        "type": "object",
        "patternProperties": {"^x_": {}},
        "additionalProperties": False,
    }
    text = explain({"y": 1}, schema).text
    assert text.splitlines() == ["unknown: 'y'", "valid parameters: names that match ^x_"]
    numbers = {**schema, "patternProperties": {"^x_": {"type": "integer"}}}
    assert explain({"x_a": "q"}, numbers).text.splitlines() == [
        '/x_a: expected an integer, got "q"',
        "valid parameters: names that match ^x_",
    ]


@pytest.mark.spec("SDK 3.4")
def test_a_root_of_undeclared_names_only_says_what_they_take() -> None:
    schema: dict[str, object] = {"type": "object", "additionalProperties": {"type": "integer"}}
    assert explain({"a": "q"}, schema).text.splitlines() == [
        '/a: expected an integer, got "q"',
        "valid parameters: *: int",
    ]


@pytest.mark.spec("SDK 3.4")
def test_none_of_several_forms_is_not_called_too_many() -> None:
    schema: dict[str, object] = {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert "fits none of the allowed forms" in explain({}, schema).text
    assert "fits more than one of the forms" in explain({"a": 1, "b": 1}, schema).text


@pytest.mark.spec("SDK 3.4")
def test_names_that_the_schema_welcomes_are_unknown_only_when_they_are_slips() -> None:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
        "additionalProperties": {"type": "integer"},
    }
    assert explain({"querry": "x", "limit": 1, "page": "2"}, schema).text.splitlines() == [
        "missing: 'query'",
        "unknown: 'querry'; did you mean 'query'?",
        '/querry: expected an integer, got "x"',
        '/page: expected an integer, got "2"',
        "valid parameters: query: str, *: int",
    ]
