"""The files that the type checker reads of an SDK."""

from __future__ import annotations

import ast

import pytest

from codemode.runtime.typecheck.regions import tag
from codemode.runtime.typecheck.workspace import RULES, make_workspace
from codemode.sdkgen import Sdk, ToolSpec, build_sdk

ITEM = {"type": "object", "properties": {"id": {"type": "integer"}, "a-b": {}}}
OPEN = {**ITEM, "additionalProperties": True}


def sdk_of(*groups: str) -> Sdk:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    return build_sdk(
        [
            ToolSpec("find", "It says `async def f(x) -> int: ...`", schema, ITEM),
            ToolSpec("guess", "", schema, OPEN),
            *(ToolSpec(f"list_{group}", "", schema, None, group) for group in groups),
        ]
    )


@pytest.mark.spec("SDK 6.2")
def test_every_module_of_a_workspace_is_python() -> None:
    files = make_workspace(sdk_of("github", "lab-one", "str")).files
    modules = {name: ast.parse(text) for name, text in files.items() if name.endswith(".pyi")}
    assert {"__builtins__.pyi", "tools.pyi", "github.pyi", "lab_one.pyi"} <= modules.keys()
    assert "str.pyi" not in modules


def test_a_group_does_not_hide_a_module_of_the_standard_library() -> None:
    assert "json.pyi" not in make_workspace(sdk_of("json")).files


def test_a_result_that_may_be_either_is_any_and_keeps_its_parameters() -> None:
    files = make_workspace(sdk_of("github")).files
    tree = ast.parse(files["_codemode_either.pyi"])
    methods = {
        node.name: ast.unparse(node.returns)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.returns is not None
    }
    assert methods["find"] == methods["list_github"] == "_Any"
    assert not any(isinstance(node, ast.AsyncFunctionDef) for node in ast.walk(tree))
    assert "def find(self, q: str = ...) -> _Any:" in files["_codemode_either.pyi"]


def test_all_rules_are_off_but_those_of_the_list() -> None:
    settings = make_workspace(sdk_of()).files["ty.toml"]
    assert settings.startswith('[rules]\nall = "ignore"\n')
    assert settings.count(' = "error"\n') == len(RULES)


def test_only_results_without_undeclared_keys_are_closed() -> None:
    assert make_workspace(sdk_of()).results == {"_FindResult": frozenset({"id", "a-b"})}


def test_tools_are_known_by_the_names_that_reports_use() -> None:
    workspace = make_workspace(sdk_of("github"))
    assert workspace.tools["_Tools.find"].path == "tools.find"
    shared = workspace.tools["_Shared_github.list_github"]
    assert shared.path == "tools.github.list_github"
    assert tag("tools", 0, "handle") in workspace.files["__builtins__.pyi"]
