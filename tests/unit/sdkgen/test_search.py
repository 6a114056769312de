"""Discovery."""

from __future__ import annotations

import pytest

from codemode.sdkgen import ToolSpec, build_sdk
from codemode.sdkgen.search import terms

TOOLS = [
    ToolSpec(
        "create_issue",
        "Open a ticket.",
        {"properties": {"title": {"type": "string"}}},
        None,
        "github",
    ),
    ToolSpec("listPullRequests", "Show proposed changes.", {}),
    ToolSpec(
        "weather",
        "Forecast for a city.",
        {"properties": {"when": {"description": "tomorrow or today"}}},
    ),
    ToolSpec("units", "Convert.", {"properties": {"mode": {"enum": ["celsius", "kelvin"]}}}),
]


@pytest.mark.spec("SDK 5.1")
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("creating issues on GitHub", "tools.github.create_issue"),
        ("pull request", "tools.listPullRequests"),
        ("forecasts", "tools.weather"),
        ("what about tomorrow?", "tools.weather"),
        ("title", "tools.github.create_issue"),
        ("kelvin", "tools.units"),
    ],
)
def test_names_descriptions_parameters_and_values_are_found(query: str, path: str) -> None:
    assert build_sdk(TOOLS).search(query)[0].name == path


@pytest.mark.spec("SDK 5.2")
def test_a_tool_outside_the_set_is_not_found() -> None:
    sdk = build_sdk(TOOLS[1:])
    assert all("issue" not in hit.name for hit in sdk.search("create issue github", 50))


@pytest.mark.spec("SDK 5.1")
def test_the_limit_holds_and_nothing_to_find_is_an_empty_list() -> None:
    sdk = build_sdk(TOOLS)
    assert sdk.search("", 10) == []
    assert sdk.search("the of and", 10) == []
    assert sdk.search("zzz", 10) == []
    assert len(sdk.search("a city issue change convert", 2)) == 2
    assert sdk.search("city", 0) == []
    assert build_sdk([]).search("city") == []


@pytest.mark.spec("SDK 5.1")
def test_a_hit_is_plain_json_with_the_signature() -> None:
    hit = build_sdk(TOOLS).search("ticket")[0]
    assert hit.as_json() == {
        "name": "tools.github.create_issue",
        "signature": "tools.github.create_issue(title?)",
        "summary": "Open a ticket",
    }


def test_words_come_apart_and_are_stemmed() -> None:
    assert terms("listPullRequests") == terms("list pull request")
    assert terms("HTTPServer2") == terms("http_server_2")


@pytest.mark.spec("SDK 5.1")
def test_a_description_has_the_whole_documentation(awkward: list[ToolSpec]) -> None:
    sdk = build_sdk(awkward)
    text = sdk.describe("tools.union")
    assert '{kind: "circle", r: float}|{kind: "square", side: int}' in text
    assert "Example: tools.union(shape={" in text
    assert '"additionalProperties": false' in text
    assert 'tools["do-it"](...)' in sdk.describe("do-it")
    assert '(exact key "from")' in sdk.describe("class")


@pytest.mark.spec("SDK 5.1")
@pytest.mark.parametrize(
    "name",
    [
        "tools.github.close_issue",
        "github.close_issue",
        "tools.close_issue",
        "close-issue",
        "close_issue",
    ],
)
def test_a_tool_is_described_under_each_of_its_names(awkward: list[ToolSpec], name: str) -> None:
    assert build_sdk(awkward).describe(name).startswith("tools.github.close_issue(number: int)")


@pytest.mark.spec("SDK 5.1")
def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(LookupError, match=r"did you mean .*create_issue"):
        build_sdk(TOOLS).describe("tools.creat_issue")
    with pytest.raises(LookupError, match="no tool is named"):
        build_sdk([]).explain("\u202e")
