"""Wire names and Python names."""

from __future__ import annotations

import keyword

import pytest

from codemode.sdkgen import ToolSpec, build_sdk
from codemode.sdkgen.names import assign, assign_parameters, identifier


@pytest.mark.spec("SDK 1.2")
@pytest.mark.parametrize(
    ("wire", "python"),
    [
        ("search", "search"),
        ("a-b", "a_b"),
        ("uber.ride", "uber_ride"),
        ("{{userName}}", "userName"),
        ("$eq", "eq"),
        ("from", "from_"),
        ("None", "None_"),
        ("match", "match"),
        ("2fa", "n2fa"),
        ("__import__", "import_"),
        ("camelCase", "camelCase"),
        ("путь", "путь"),
        ("\ufb01le", "file"),
        ("\U0001f4a5", "tool"),
        ("\u3164", "tool"),
        ("", "tool"),
        ("print", "print"),
    ],
)
def test_a_wire_name_has_one_identifier(wire: str, python: str) -> None:
    assert identifier(wire, fallback="tool") == python


@pytest.mark.spec("SDK 1.2")
def test_the_real_identifier_wins_a_collision_and_the_other_gets_a_stable_suffix() -> None:
    pair = assign(["do-it", "do_it"])
    assert pair["do_it"] == "do_it"
    assert pair["do-it"].startswith("do_it_")
    assert assign(["x", "do_it", "other", "do-it"])["do-it"] == pair["do-it"]


@pytest.mark.spec("SDK 1.2")
def test_two_aliases_that_meet_are_kept_apart_whatever_the_order() -> None:
    one = assign(["get-item", "get.item"])
    assert one == assign(["get.item", "get-item"])
    assert len(set(one.values())) == 2


@pytest.mark.spec("SDK 1.4")
def test_parameters_keep_camel_case_and_keywords_get_an_underscore() -> None:
    names = assign_parameters(["userId", "from", "Idempotency-Key", "self", "__token"])
    assert names == {
        "userId": "userId",
        "from": "from_",
        "Idempotency-Key": "Idempotency_Key",
        "self": "self",
        "__token": "token",
    }


@pytest.mark.spec("SDK 1.4")
def test_an_alias_never_equals_the_exact_key_of_another_parameter() -> None:
    names = assign_parameters(["from", "from_"])
    assert names["from_"] == "from_"
    assert names["from"] not in ("from", "from_")


@pytest.mark.spec("SDK 1.1")
def test_the_table_is_reversible(awkward: list[ToolSpec]) -> None:
    table = build_sdk(awkward).names()
    assert len({row.path for row in table.rows}) == len(awkward)
    for row in table.rows:
        assert table.wire(row.path) == (row.group, row.wire)
        assert all(table.wire(alias) == (row.group, row.wire) for alias in row.aliases)
        assert table.python(row.wire, row.group) == row.path


@pytest.mark.spec("SDK 1.1", "SDK 1.2")
def test_every_path_is_made_of_identifiers_that_a_program_can_write(
    awkward: list[ToolSpec],
) -> None:
    for binding in build_sdk(awkward).bindings:
        for path in (binding.path, *binding.aliases):
            for part in path.split("."):
                assert part.isidentifier()
                assert not keyword.iskeyword(part)
                assert not part.startswith("_")


@pytest.mark.spec("SDK 1.3")
def test_a_grouped_tool_stands_under_its_group_and_alone_where_its_name_is_unique(
    awkward: list[ToolSpec],
) -> None:
    bindings = {b.path: b for b in build_sdk(awkward).bindings}
    assert bindings["tools.github.close_issue"].aliases == (
        "github.close_issue",
        "tools.close_issue",
    )
    # Two groups have it.
    assert bindings["tools.github.create_issue"].aliases == ("github.create_issue",)
    # A native tool has the name.
    assert bindings["tools.github.search"].aliases == ("github.search",)
    assert bindings["tools.search"].spec.group is None


@pytest.mark.spec("SDK 1.2", "SDK 2.6")
def test_a_group_never_shadows_a_builtin_or_a_name_of_the_host() -> None:
    groups = ("print", "tools", "catalog", "ToolCallError", "list")
    sdk = build_sdk([ToolSpec("x", "", {}, None, group) for group in groups])
    heads = {alias.split(".")[0] for binding in sdk.bindings for alias in binding.aliases}
    assert heads <= {"tools"}
    assert {binding.path for binding in sdk.bindings} >= {"tools.print.x", "tools.list.x"}


@pytest.mark.spec("SDK 1.3")
def test_a_group_keeps_its_attribute_against_a_native_tool_of_that_name() -> None:
    sdk = build_sdk([ToolSpec("github", "", {}), ToolSpec("x", "", {}, None, "github")])
    paths = [binding.path for binding in sdk.bindings]
    assert "tools.github.x" in paths
    assert "tools.github" not in paths


@pytest.mark.spec("SDK 1.3")
def test_the_exact_wire_name_is_the_label(awkward: list[ToolSpec]) -> None:
    assert all(binding.label == binding.spec.name for binding in build_sdk(awkward).bindings)


@pytest.mark.spec("SDK 1.1")
def test_the_same_tool_twice_gets_two_paths() -> None:
    tools = [ToolSpec("x", "one", {}), ToolSpec("x", "two", {}), ToolSpec("x_2", "", {})]
    assert len({binding.path for binding in build_sdk(tools).bindings}) == 3
