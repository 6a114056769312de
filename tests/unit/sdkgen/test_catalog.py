"""The catalog in the prompt."""

from __future__ import annotations

import random

import pytest

from codemode.sdkgen import Level, ToolSpec, build_sdk, estimated_tokens


def spec(
    name: str = "f",
    description: str = "",
    output: dict[str, object] | None = None,
    **properties: object,
) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": properties,
        "required": [n for n in properties if n.startswith("r")],
    }
    return ToolSpec(name, description, schema, output)


def line(tool: ToolSpec) -> str:
    return build_sdk([tool]).catalog().splitlines()[1]


@pytest.mark.spec("SDK 4.1")
def test_a_tool_is_one_line_with_types_output_and_summary() -> None:
    tool = spec(
        "get",
        "Get one. Slowly.",
        {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["id"],
        },
        o={"type": "integer"},
        r={"type": "string"},
    )
    assert line(tool) == "get(r, o?: int) -> {id: int, tags?: list[str]} # Get one"


@pytest.mark.spec("SDK 2.2")
def test_optional_is_not_nullable() -> None:
    tool = spec(days={"type": "integer", "default": None}, gone={"type": ["integer", "null"]})
    assert line(tool) == "f(days?: int, gone?: int|None)"
    assert "days: int = ..." in build_sdk([tool]).stubs()
    assert "gone: int | None = ..." in build_sdk([tool]).stubs()


@pytest.mark.spec("SDK 2.4")
def test_a_marked_wrapper_is_taken_off_the_output_type_and_a_real_result_is_not(
    awkward: list[ToolSpec],
) -> None:
    text = build_sdk(awkward).catalog()
    assert "\nwrapped() -> list[int] #" in text
    assert "\nunwrapped() -> {result} #" in text


@pytest.mark.spec("SDK 4.5")
def test_tools_are_sorted_by_namespace_and_wire_name_whatever_the_order(
    awkward: list[ToolSpec],
) -> None:
    expected = build_sdk(awkward)
    shuffled = list(awkward)
    random.Random(7).shuffle(shuffled)
    other = build_sdk(shuffled)
    assert other.catalog() == expected.catalog()
    assert other.prompt() == expected.prompt()
    assert other.stubs() == expected.stubs()
    assert other.sha256 == expected.sha256
    assert other == expected
    assert hash(other) == hash(expected)
    assert [line for line in expected.catalog().splitlines() if line.startswith("# ")] == [
        "# tools",
        "# tools.git_lab",
        "# tools.github",
        "# tools.print",
    ]


def test_another_description_is_another_sdk() -> None:
    assert build_sdk([spec(description="a")]) != build_sdk([spec(description="b")])


@pytest.mark.spec("SDK 4.2")
def test_the_ladder_goes_down_with_the_budget_and_says_so() -> None:
    wide = {"type": "object", "properties": {f"key{n}": {"type": "integer"} for n in range(30)}}
    tools = [
        spec(f"tool_number_{n}", "Does a thing that takes words to tell.", r1=wide, o2=wide)
        for n in range(50)
    ]
    sdk = build_sdk(tools)
    seen: list[Level] = []
    for budget in (None, 100_000, 2_500, 1_000, 400, 100):
        text = sdk.catalog(budget)
        seen.append(sdk.catalog_level(budget))
        assert budget is None or estimated_tokens(text) <= budget
    assert seen == [
        Level.COMPACT,
        Level.COMPACT,
        Level.SHALLOW,
        Level.SUMMARY,
        Level.NAMES,
        Level.NAMES,
    ]
    assert "catalog.describe" in sdk.catalog(2_500)
    assert "catalog.search" in sdk.catalog(1_000)
    assert "more tools are not listed" in sdk.catalog(100)
    assert "more tools are not listed" not in sdk.catalog(400)


@pytest.mark.spec("SDK 4.4")
def test_no_description_adds_a_line_or_a_heading(awkward: list[ToolSpec]) -> None:
    lines = build_sdk(awkward).catalog().splitlines()
    assert len(lines) == len(awkward) + 4
    assert all(line.isprintable() for line in lines)


@pytest.mark.spec("SDK 3.1", "SDK 3.2")
def test_every_awkward_tool_renders_in_every_form(awkward: list[ToolSpec]) -> None:
    sdk = build_sdk(awkward)
    for binding in sdk.bindings:
        assert sdk.describe(binding.path)
        assert sdk.explain(binding.path).text()
        assert binding.doc
    for level_budget in (50, 500, 1_000, 5_000):
        assert sdk.catalog(level_budget)


def test_one_bad_tool_degrades_itself_only(awkward: list[ToolSpec]) -> None:
    good = spec("good", "Fine.", r={"type": "string"})
    assert line(good) in build_sdk([*awkward, good]).catalog()


@pytest.mark.spec("SDK 4.1")
def test_names_that_a_root_takes_without_declaring_them_are_shown() -> None:
    integer = {"type": "integer"}
    roots: tuple[tuple[dict[str, object], str], ...] = (
        ({"additionalProperties": integer}, "f(**kwargs: int)"),
        ({"additionalProperties": True}, "f(**kwargs: Any)"),
        ({"additionalProperties": False}, "f()"),
        ({}, "f()"),
        (
            {"patternProperties": {"^x-": integer}, "additionalProperties": False},
            "f(**kwargs: int)",
        ),
        ({"properties": {"a": {}}, "additionalProperties": integer}, "f(a?: Any, **kwargs: int)"),
        ({"properties": {"a": {}}, "additionalProperties": True}, "f(a?: Any)"),
    )
    for root, shown in roots:
        assert line(ToolSpec("f", "", {"type": "object", **root}, None)) == shown, root
