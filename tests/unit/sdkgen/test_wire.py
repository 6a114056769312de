"""Tools in the vendors' formats."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest
import round_trip
from pydantic import TypeAdapter

from codemode.sdkgen import ToolSpec, WireDialect, wire_names, wire_tools
from codemode.sdkgen.files import read_tools

DIALECTS: tuple[WireDialect, ...] = get_args(WireDialect)
ACCEPTED = {dialect: re.compile(r"[A-Za-z0-9_-]{1,64}") for dialect in DIALECTS}
ACCEPTED["mcp"] = re.compile(r"[A-Za-z0-9_.-]{1,128}")
TOOL = ToolSpec(
    "f", "Do.", {"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object"}
)

STRANGE = read_tools(Path(round_trip.__file__).with_name("strange_tools.jsonl").read_text("utf-8"))
#: The dialects that vendors check parameters against.
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"

#: Tools whose wire form is kept in golden files, one a dialect.
GOLDEN = [
    ToolSpec(
        "find-order",
        "Find one order.",
        {
            "type": "object",
            "properties": {"id": {"type": "string"}, "from": {"type": "string", "format": "date"}},
            "required": ["id"],
            "additionalProperties": False,
        },
        {"type": "object", "properties": {"total": {"type": "number"}}},
    ),
    ToolSpec("shop.pay", "Either way.", {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
    ToolSpec("get", "One.", {}, {"type": "string"}, "one"),
    ToolSpec("get", "Two.", {"type": "array"}, None, "two"),
]


@pytest.mark.spec("SDK 7.1")
def test_each_dialect_has_its_form() -> None:
    parameters = TOOL.parameters
    assert wire_tools([TOOL], "openai-chat") == [
        {
            "type": "function",
            "function": {"name": "f", "description": "Do.", "parameters": parameters},
        }
    ]
    assert wire_tools([TOOL], "openai-responses") == [
        {
            "type": "function",
            "name": "f",
            "description": "Do.",
            "parameters": parameters,
            "strict": False,
        }
    ]
    assert wire_tools([TOOL], "anthropic") == [
        {"name": "f", "description": "Do.", "input_schema": parameters}
    ]
    assert wire_tools([TOOL], "mcp") == [
        {
            "name": "f",
            "description": "Do.",
            "inputSchema": parameters,
            "outputSchema": {"type": "object"},
        }
    ]


@pytest.mark.spec("SDK 7.1")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_name_is_accepted_unique_and_leads_back_to_its_tool(
    dialect: WireDialect, awkward: list[ToolSpec]
) -> None:
    tools = [*awkward, ToolSpec("x" * 200, "", {}), ToolSpec("x" * 200 + "y", "", {}), *awkward[:3]]
    names = wire_names(tools, dialect)
    assert list(names.values()) == tools
    assert all(ACCEPTED[dialect].fullmatch(name) for name in names)


@pytest.mark.spec("SDK 7.1")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_acceptable_name_is_kept(dialect: WireDialect) -> None:
    tools = [ToolSpec("a.b", "", {}), ToolSpec("a_b", "", {}), ToolSpec("close-issue", "", {})]
    names = wire_names(tools, dialect)
    assert names["a_b"] is tools[1]
    assert names["close-issue"] is tools[2]


@pytest.mark.spec("SDK 7.1")
def test_one_name_in_two_groups_gets_the_group_in_front() -> None:
    tools = [ToolSpec("get", "", {}, None, "one"), ToolSpec("get", "", {}, None, "two")]
    assert list(wire_names(tools, "openai-chat")) == ["one__get", "two__get"]


@pytest.mark.spec("SDK 7.1")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_parameters_are_an_object_whatever_the_schema(
    dialect: WireDialect, awkward: list[ToolSpec]
) -> None:
    for listed in wire_tools(awkward, dialect):
        form: Any = listed.get("function", listed)
        schema: Any = form.get("parameters", form.get("input_schema", form.get("inputSchema")))
        assert schema["type"] == "object"
        assert isinstance(schema["properties"], dict)
        if dialect != "mcp":
            assert not {"anyOf", "oneOf", "allOf", "not", "enum"} & set(schema)


@pytest.mark.spec("SDK 7.1")
@pytest.mark.parametrize(
    ("dialect", "module", "kind"),
    [
        ("openai-chat", "openai.types.chat", "ChatCompletionToolParam"),
        ("openai-responses", "openai.types.responses", "FunctionToolParam"),
        ("anthropic", "anthropic.types", "ToolParam"),
        ("mcp", "mcp.types", "Tool"),
    ],
)
def test_the_vendors_own_types_accept_every_tool(
    dialect: WireDialect, module: str, kind: str, awkward: list[ToolSpec]
) -> None:
    types = pytest.importorskip(module, reason=f"{module} is not installed")
    adapter: TypeAdapter[Any] = TypeAdapter(getattr(types, kind))
    for listed in wire_tools([*awkward, *STRANGE], dialect):
        assert adapter.validate_python(listed)


def parameters_of(listed: dict[str, object]) -> Any:
    form: Any = listed.get("function", listed)
    return form.get("parameters", form.get("input_schema", form.get("inputSchema")))


@pytest.mark.spec("SDK 7.1")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_one_bad_tool_does_not_cost_the_whole_request(
    dialect: WireDialect, awkward: list[ToolSpec]
) -> None:
    bad = ToolSpec("bad\ud800", "\udfff", {"properties": {"\ud800": {"type": "text?"}}})
    for listed in wire_tools([*awkward, *STRANGE, bad], dialect):
        json.dumps(listed, ensure_ascii=False).encode()
        schema = parameters_of(listed)
        declared = schema.get("$schema", DRAFT_2020)
        assert dialect == "mcp" or declared == DRAFT_2020
        rules = jsonschema_rs.validator_for({"$schema": declared, "$ref": declared}, offline=True)
        assert [str(error.message) for error in rules.iter_errors(schema)] == []
        # Every reference leads somewhere in the document.
        jsonschema_rs.validator_for(schema, offline=True)


@pytest.mark.spec("SDK 7.1")
def test_a_list_has_items_where_a_vendor_wants_them() -> None:
    schema = {"type": "object", "properties": {"a": {"type": ["array", "null"]}}}
    tools = [ToolSpec("f", "", schema)]
    given = {dialect: parameters_of(wire_tools(tools, dialect)[0]) for dialect in DIALECTS}
    assert given["openai-chat"]["properties"]["a"] == {"type": ["array", "null"], "items": {}}
    assert given["openai-responses"] == given["openai-chat"]
    assert given["anthropic"] == given["mcp"] == schema


@pytest.mark.spec("SDK 7.1")
def test_a_sound_schema_goes_out_as_its_author_wrote_it() -> None:
    schema = {
        "type": "object",
        "properties": {
            "at": {"type": "string", "pattern": r"^(?!x)\d+$", "description": "When."},
            "tree": {"$ref": "#/$defs/Tree"},
        },
        "$defs": {"Tree": {"properties": {"left": {"$ref": "#/$defs/Tree"}}}},
    }
    for dialect in DIALECTS:
        assert parameters_of(wire_tools([ToolSpec("f", "", schema)], dialect)[0]) == schema


@pytest.mark.spec("SDK 7.1")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_golden_form_of_a_dialect_does_not_change(dialect: WireDialect) -> None:
    golden = Path(__file__).with_name("golden") / f"{dialect}.json"
    assert wire_tools(GOLDEN, dialect) == json.loads(golden.read_text("utf-8"))
