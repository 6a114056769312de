from __future__ import annotations

import base64
from typing import Any

import pytest

from codemode.runtime.content import Image, Text
from codemode.runtime.definition import Tool
from codemode.runtime.errors import MisuseError
from codemode.runtime.hosts.mcp import (
    McpServer,
    _render,
    _value_schema,
    group_name,
    within_64_bits,
)


@pytest.mark.parametrize(
    ("server_name", "group"),
    [
        ("mcp-git", "git"),
        ("github-mcp-server", "github"),
        ("mcp-server-fetch", "fetch"),
        ("Example Server", "example"),
        ("mcp", "mcp"),
        ("server", "server"),
        ("7zip", "server_7zip"),
        ("---", "server_"),
        ("Wetter Köln", "wetter_k_ln"),
    ],
)
def test_a_server_s_own_name_becomes_a_short_group(server_name: str, group: str) -> None:
    assert group_name(server_name) == group
    assert group_name(server_name).isidentifier()


@pytest.mark.parametrize(
    ("text", "target", "group"),
    [
        ("mcp-server-git --repository .", "mcp-server-git --repository .", None),
        ("git=mcp-server-git --repository .", "mcp-server-git --repository .", "git"),
        ("https://example.com/mcp?a=b", "https://example.com/mcp?a=b", None),
        ("api=https://example.com/mcp", "https://example.com/mcp", "api"),
        ("server --token=x", "server --token=x", None),
    ],
)
def test_a_target_may_name_its_group(text: str, target: str, group: str | None) -> None:
    assert McpServer.parse(text) == McpServer(target=target, group=group)


@pytest.mark.parametrize("text", ["", "  ", "git="])
def test_a_target_that_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(MisuseError, match="no MCP server"):
        McpServer.parse(text)


def test_text_beside_an_image_renders_as_both() -> None:
    data = base64.b64encode(b"\x89PNG").decode()
    blocks = [
        {"type": "text", "text": "a chart"},
        {"type": "image", "data": data, "mimeType": "image/png"},
        {"type": "image", "data": "not base64!", "mimeType": "image/png"},
        {"type": "resource_link", "uri": "file:///x", "name": "x"},
    ]
    rendered = _render({}, blocks)  # type: ignore[arg-type]
    assert rendered == [
        Text("a chart"),
        Image.of(b"\x89PNG", "image/png"),
        Text("[an image that is not valid base64]"),
        Text("[resource_link: file:///x]"),
    ]


def test_the_output_schema_is_that_of_the_unwrapped_value() -> None:
    schema = {
        "type": "object",
        "properties": {"result": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": "integer"}},
        "x-fastmcp-wrap-result": True,
    }
    assert _value_schema(schema) == {"$ref": "#/$defs/A", "$defs": {"A": {"type": "integer"}}}
    assert _value_schema(None) == {}
    assert _value_schema({"type": "object"}) == {"type": "object"}


@pytest.mark.spec("SDK 3.1")
def test_a_bound_beyond_64_bits_costs_no_tool() -> None:
    bound: dict[str, Any] = {"type": "integer", "maximum": 2**64 - 1, "minimum": -(10**400)}
    kept = within_64_bits({"properties": {"n": bound}, "anyOf": [{"minimum": 2**63 - 1}]})
    assert kept["properties"]["n"] == {"type": "integer", "maximum": 2.0**64, "minimum": -1e308}
    assert kept["anyOf"] == [{"minimum": 2**63 - 1}]
    assert Tool.raw("f", "", kept, lambda arguments, run: None, is_adapted=True).name == "f"


@pytest.mark.spec("SDK 2.4")
def test_an_embedded_text_is_read_by_the_model_and_other_resources_are_named() -> None:
    text = {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "what it says"}
    blob = {"uri": "file:///b.bin", "mimeType": "application/octet-stream", "blob": "AAAA"}
    blocks = [{"type": "resource", "resource": resource} for resource in (text, blob, {})]
    assert _render({}, blocks) == [  # type: ignore[arg-type]  # blocks are JSON
        Text("what it says"),
        Text("[resource: file:///b.bin]"),
        Text("[resource: no description]"),
    ]
