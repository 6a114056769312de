"""Catalogs: what exists, by configuration, profile and selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pipeline_harness import Harness

from codemode.runtime.catalog import INTERACTIVE, ONE_SHOT, Entry, assemble, managed, select
from codemode.runtime.definition import Tool
from codemode.runtime.errors import MisuseError
from codemode.runtime.permissions import Permissions


@dataclass(frozen=True)
class Settings:
    """A host's configuration."""

    has_shell: bool = True


def named(*names: str) -> list[Tool]:
    return [Tool.raw(name, name, {"type": "object"}, lambda a, r: None) for name in names]


CATALOG: tuple[Entry[Settings], ...] = (
    Entry(make=lambda settings: named("read", "edit")),
    Entry(make=lambda settings: named("shell") if settings.has_shell else ()),
    Entry(make=lambda settings: named("ask_user"), needs_person=True),
)


def names(tools: tuple[Tool, ...]) -> list[str]:
    return [tool.name for tool in tools]


@pytest.mark.spec("PIPELINE 4.7")
def test_a_catalog_is_a_function_from_configuration_to_registrations() -> None:
    assert names(assemble(CATALOG, Settings())) == ["read", "edit", "shell", "ask_user"]
    assert names(assemble(CATALOG, Settings(has_shell=False))) == ["read", "edit", "ask_user"]


@pytest.mark.spec("PIPELINE 4.7")
def test_a_profile_chooses_what_exists() -> None:
    assert "ask_user" in names(assemble(CATALOG, Settings(), INTERACTIVE))
    assert names(assemble(CATALOG, Settings(), ONE_SHOT)) == ["read", "edit", "shell"]
    assert names(assemble(CATALOG, Settings(), managed(["read", "ask_user"]))) == ["read"]


@pytest.mark.spec("PIPELINE 4.7")
def test_adding_a_tool_is_adding_an_entry() -> None:
    grep: Entry[Settings] = Entry(make=lambda settings: named("grep"))
    assert names(assemble((*CATALOG, grep), Settings(), ONE_SHOT))[-1] == "grep"


@pytest.mark.spec("PIPELINE 4.6")
@pytest.mark.parametrize(
    ("selection", "left"),
    [("all", ["b", "a"]), ("none", []), (["a", "b"], ["b", "a"]), ({"a"}, ["a"]), ([], [])],
)
def test_a_selection_is_all_none_or_a_list(selection: Any, left: list[str]) -> None:
    assert names(select(named("b", "a"), selection)) == left


@pytest.mark.spec("PIPELINE 4.6")
@pytest.mark.parametrize(
    ("selection", "says"), [(["a", "c"], "select names c; the tools are a, b"), ("some", "'some'")]
)
def test_a_selection_that_cannot_be_meant_is_refused(selection: Any, says: str) -> None:
    with pytest.raises(MisuseError, match=says):
        select(named("a", "b"), selection)


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 4.6")
async def test_selection_is_not_permission(harness: Harness) -> None:
    for tool in select(named("read", "edit", "shell"), ["read", "edit"]):
        harness.registry.register(tool)
    harness.registry.root.add("pre", Permissions(allow=["*"], deny=["edit"]))
    async with harness.open():
        assert not (await harness.call("read")).is_error
        assert (await harness.call("edit")).code == "DENIED"
        assert (await harness.call("shell")).code == "UNKNOWN_TOOL"
