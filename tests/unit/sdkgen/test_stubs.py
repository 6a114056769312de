"""Stubs as text: that they parse and say what they should. Checkers run in the property tests."""

from __future__ import annotations

import ast

import pytest

from codemode.sdkgen import ToolSpec, build_sdk


def methods(text: str) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    return {
        node.name: node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


@pytest.mark.spec("SDK 6.2")
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("is_strict", [False, True])
def test_the_stubs_of_awkward_tools_parse(
    awkward: list[ToolSpec], is_async: bool, is_strict: bool
) -> None:
    ast.parse(build_sdk(awkward).stubs(is_async=is_async, is_strict=is_strict))


@pytest.mark.spec("SDK 4.4")
def test_nothing_of_a_description_becomes_code(awkward: list[ToolSpec]) -> None:
    module = ast.parse(build_sdk(awkward).stubs())
    imports = [node for node in ast.walk(module) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert {alias.name for node in imports for alias in node.names}.isdisjoint({"os"})


@pytest.mark.spec("SDK 2.1", "SDK 2.2")
def test_required_parameters_come_first_and_optional_ones_have_a_default() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "required": ["b"],
    }
    sdk = build_sdk([ToolSpec("f", "", schema)])
    assert [parameter.key for parameter in sdk.bindings[0].parameters] == ["b", "a"]
    assert "def f(self, b: int, a: str = ...) -> _Any: ..." in sdk.stubs()


@pytest.mark.spec("SDK 2.5")
def test_calls_inside_coroutines_have_stubs_of_their_own(awkward: list[ToolSpec]) -> None:
    sdk = build_sdk(awkward)
    assert isinstance(methods(sdk.stubs())["create_issue"], ast.FunctionDef)
    assert isinstance(methods(sdk.stubs(is_async=True))["create_issue"], ast.AsyncFunctionDef)


@pytest.mark.spec("SDK 2.4")
def test_results_have_attributes_and_items_and_dict_methods_win(awkward: list[ToolSpec]) -> None:
    text = build_sdk(awkward).stubs()
    start = text.index("class _StrResult(")
    body = text[start : text.index("\nclass ", start + 1)]
    assert "    list: _builtins.list[_builtins.str]\n" in body
    assert "    items:" not in body
    assert '_Literal["items", "dict"], /) -> int' in body


@pytest.mark.spec("SDK 1.3", "SDK 2.6")
def test_groups_are_attributes_of_tools_and_globals(awkward: list[ToolSpec]) -> None:
    module = ast.parse(build_sdk(awkward).stubs())
    globals_ = {
        node.target.id
        for node in module.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    assert {name for name in globals_ if not name.startswith("_")} == {
        "catalog",
        "tools",
        "github",
        "git_lab",
    }


@pytest.mark.spec("SDK 5.1")
def test_lookups_are_attributes_of_tools_unless_a_tool_has_the_name() -> None:
    assert "def search(self, query: _builtins.str" in build_sdk([]).stubs()
    own = build_sdk([ToolSpec("search", "", {"properties": {"q": {"type": "integer"}}})]).stubs()
    assert "def search(self, query: _builtins.str" not in own
    assert "def describe(self, name: _builtins.str)" in own
