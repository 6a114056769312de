"""Stubs of made-up tools, checked by ty; skipped, with the reason, where ty is not installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import round_trip
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemode.sdkgen import ToolSpec, build_sdk
from codemode.sdkgen.files import read_tools

LOCAL = Path(sys.executable).with_name("ty")
TY = str(LOCAL) if LOCAL.exists() else shutil.which("ty")
needs_ty = pytest.mark.skipif(
    TY is None, reason="ty is not installed: pip install codemode[typecheck]"
)

Node = dict[str, Any]

KEYS = st.sampled_from(
    [
        "a",
        "str",
        "int",
        "list",
        "dict",
        "float",
        "bool",
        "Any",
        "from",
        "self",
        "a-b",
        "items",
        "id",
        "type",
        "_x",
        "None",
    ]
)
LEAVES: list[Node] = [
    {"type": "string"},
    {"type": "integer"},
    {"enum": ["x", 1, None, 2.5]},
    {},
    {"$ref": "#/$defs/N"},
    {"$ref": "#/$defs/J"},
]
DEFS: Node = {
    "N": {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/N"}, "str": {"type": "string"}},
    },
    "J": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/J"}}]},
}
EXTRAS: list[Node] = [
    {},
    {"additionalProperties": False},
    {"additionalProperties": {"type": "integer"}},
]


def array(items: Node) -> Node:
    return {"type": "array", "items": items}


def union(options: list[Node]) -> Node:
    return {"anyOf": options}


def record(properties: Node, extra: Node) -> Node:
    return {"type": "object", "properties": properties, **extra}


def document(schema: Node) -> Node:
    return {**schema, "$defs": DEFS}


def compounds(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.one_of(
        st.builds(array, inner),
        st.builds(union, st.lists(inner, min_size=1, max_size=3)),
        st.builds(record, st.dictionaries(KEYS, inner, max_size=4), st.sampled_from(EXTRAS)),
    )


SCHEMAS = st.recursive(st.sampled_from(LEAVES), compounds, max_leaves=8)
ROOTS = st.builds(record, st.dictionaries(KEYS, SCHEMAS, max_size=4), st.just({"$defs": DEFS}))
OUTPUTS = st.builds(document, SCHEMAS)
TOOLS = st.builds(
    ToolSpec, KEYS, st.text(max_size=20), ROOTS, st.none() | OUTPUTS, st.none() | KEYS
)


def check(folder: Path) -> str:
    assert TY is not None
    done = subprocess.run(
        [TY, "check", "--output-format", "concise", str(folder)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@needs_ty
@pytest.mark.spec("SDK 6.2")
@given(st.lists(TOOLS, min_size=1, max_size=6))
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_made_up_stubs_type_check(
    tmp_path_factory: pytest.TempPathFactory, tools: list[ToolSpec]
) -> None:
    folder = tmp_path_factory.mktemp("stubs")
    sdk = build_sdk(tools)
    (folder / "plain.pyi").write_text(sdk.stubs(), "utf-8")
    (folder / "awaited.pyi").write_text(sdk.stubs(is_async=True), "utf-8")
    (folder / "strict.pyi").write_text(sdk.stubs(is_strict=True), "utf-8")
    assert check(folder) == ""


@needs_ty
@pytest.mark.spec("SDK 6.2")
def test_stubs_of_tools_in_the_shapes_of_real_sources_type_check(tmp_path: Path) -> None:
    source = Path(round_trip.__file__).with_name("strange_tools.jsonl")
    sdk = build_sdk(read_tools(source.read_text("utf-8")))
    (tmp_path / "plain.pyi").write_text(sdk.stubs(), "utf-8")
    (tmp_path / "awaited.pyi").write_text(sdk.stubs(is_async=True), "utf-8")
    (tmp_path / "strict.pyi").write_text(sdk.stubs(is_strict=True), "utf-8")
    assert check(tmp_path) == ""
    # An undefined name would have been found.
    (tmp_path / "strict.pyi").write_text(sdk.stubs() + "other: _Other\n", "utf-8")
    assert "_Other" in check(tmp_path)


TOOL = ToolSpec(
    "get",
    "Get.",
    {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "days": {"type": "integer"},
            "by": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
        "required": ["title"],
    },
    {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
    },
)
PROGRAM = "from sdk import ToolCallError, catalog, tools\n"


RIGHT = """
r = tools.get("x", days=3, by={"name": "y"})
built = {}
built["name"] = "z"
tools.get(title="x", by=built)
print(r.id + r["id"], r.tags[0].upper(), r["tags"][0].upper(), r.get("id"), {**r}, dict(r))
for key in r:
    print(key, r[key])
try:
    tools.get(title="x")
except ToolCallError as error:
    print(error.code.upper(), error.tool_name)
print(catalog.search("x")[0]["name"], tools.search("x"), catalog.describe("x").upper())
"""


@needs_ty
@pytest.mark.spec("SDK 2.2", "SDK 2.4")
def test_a_right_program_has_no_findings(tmp_path: Path) -> None:
    (tmp_path / "sdk.pyi").write_text(build_sdk([TOOL]).stubs())
    (tmp_path / "program.py").write_text(PROGRAM + RIGHT)
    assert check(tmp_path) == ""


@needs_ty
@pytest.mark.spec("SDK 2.2", "SDK 2.4", "SDK 6.2")
@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("tools.got(title='x')", "unresolved-attribute|missing-attribute"),
        ("tools.get(titel='x')", "unknown-argument"),
        ("tools.get()", "missing-argument"),
        ("tools.get(title=3)", "invalid-argument-type"),
        ("tools.get(title='x', days=None)", "invalid-argument-type"),
        ("tools.get(title='x').idd", "unresolved-attribute|missing-attribute"),
        ("tools.get(title='x')['idd']", "invalid-argument-type"),
    ],
)
def test_a_wrong_program_is_found_out(tmp_path: Path, line: str, rule: str) -> None:
    (tmp_path / "sdk.pyi").write_text(build_sdk([TOOL]).stubs(is_strict=True))
    (tmp_path / "program.py").write_text(f"{PROGRAM}{line}\n")
    found = check(tmp_path)
    assert any(f"[{one}]" in found for one in rule.split("|")), found


@needs_ty
@pytest.mark.spec("SDK 2.5")
def test_a_forgotten_await_is_found_out(tmp_path: Path) -> None:
    (tmp_path / "sdk.pyi").write_text(build_sdk([TOOL]).stubs(is_async=True))
    right = "async def main() -> int:\n    return (await tools.get(title='x')).id\n"
    (tmp_path / "program.py").write_text(PROGRAM + right)
    assert check(tmp_path) == ""
    (tmp_path / "program.py").write_text(PROGRAM + right.replace("await ", ""))
    assert "attribute" in check(tmp_path)
