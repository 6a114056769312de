"""The command line of the generator, and its functions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codemode.sdkgen.__main__ import main
from codemode.sdkgen.files import FORMATS, Format, read_tools, render

RECORDS: list[dict[str, object]] = [
    {
        "name": "get-it",
        "description": "Get.",
        "inputSchema": {"properties": {"from": {"type": "string"}}},
        "source": "shop",
    },
    {"name": "plain", "parameters": {}},
]
LINES = "\n".join(map(json.dumps, RECORDS))


def test_tools_are_read_from_lines_and_from_a_list() -> None:
    tools = read_tools(LINES)
    assert [(tool.name, tool.group) for tool in tools] == [("get-it", "shop"), ("plain", None)]
    assert read_tools(json.dumps([json.loads(line) for line in LINES.splitlines()])) == tools


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}\n", "line 1 has no tool name"),
        ("\n{", "line 2 is not JSON"),
        ("[1]", "tool 1 has no"),
        ("[{", "the text is not JSON"),
        ('{"name": "a", "inputSchema": ' + "[" * 100_000, "line 1 is nested too deeply"),
    ],
)
def test_a_faulty_line_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_tools(text)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_renders(form: Format) -> None:
    assert render(read_tools(LINES), form)


@pytest.mark.spec("SDK 1.1")
def test_names_and_json_show_both_names() -> None:
    assert render(read_tools(LINES), "names").splitlines()[1] == "shop\tget-it\ttools.shop.get_it"
    shown = json.loads(render(read_tools(LINES), "json"))
    assert shown["tools"][1]["parameters"] == [
        {"key": "from", "name": "from_", "required": False, "is_object": False}
    ]


def test_explain_shows_names_schema_both_renderings_and_what_degraded() -> None:
    text = render(read_tools(LINES), "catalog", explain="get-it")
    for part in (
        "wire name:   get-it",
        "tools.shop.get_it",
        "from -> from_",
        "def get_it(self, from_: str = ...)",
        '"properties"',
        "degraded:",
    ):
        assert part in text
    assert json.loads(render(read_tools(LINES), "json", explain="plain"))["wire"] == "plain"


def test_the_command_prints_and_reports_faults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tools.jsonl"
    file.write_text(LINES)
    assert main([str(file)]) == 0
    assert "get_it(from_?) # Get" in capsys.readouterr().out
    assert main([str(file), "--explain", "nothing"]) == 2
    assert "no tool is named 'nothing'" in capsys.readouterr().err
    assert main([str(tmp_path / "absent")]) == 2


def test_json_can_be_written_whatever_a_name_holds() -> None:
    tools = read_tools(json.dumps({"name": "a\ud800b", "description": "\udfff"}))
    for text in (render(tools, "json"), render(tools, "json", explain="a\ud800b")):
        text.encode()
        assert "a\ud800b" in json.dumps(json.loads(text), ensure_ascii=False)
