"""One decision for every way to name an attribute."""

from __future__ import annotations

import pytest

from codemode.sandbox.language.attributes import (
    DEFINABLE,
    INTERNALS,
    LINEAGE,
    Verdict,
    decide,
    explain,
    is_dunder,
    is_open,
    mangled,
)

FOREIGN = frozenset({"_data"})


@pytest.mark.spec("SANDBOX 6.2")
@pytest.mark.parametrize("name", sorted(INTERNALS))
def test_names_of_the_interpreters_inside_are_refused_for_loads(name: str) -> None:
    assert decide(name) is Verdict.REFUSED


@pytest.mark.spec("SANDBOX 6.2")
@pytest.mark.parametrize(
    "name",
    [
        "__globals__",
        "__code__",
        "__builtins__",
        "__init_subclass__",
        "__closure__",
        "__new_in_4__",
    ],
)
def test_special_names_outside_the_list_are_refused_whatever_they_are(name: str) -> None:
    assert decide(name) is Verdict.REFUSED
    assert decide(name, store=True) is Verdict.REFUSED


@pytest.mark.spec("SANDBOX 6.2")
@pytest.mark.parametrize(
    "name", ["__class__", "format", "format_map", "obj", "__dict__", *sorted(LINEAGE)]
)
def test_names_that_depend_on_the_object_go_through_the_hook(name: str) -> None:
    assert decide(name) is Verdict.HOOK


@pytest.mark.spec("SANDBOX 6.3")
def test_an_underscore_name_is_plain_unless_a_loaded_module_uses_it() -> None:
    assert decide("_mine", foreign_names=FOREIGN) is Verdict.PLAIN
    assert decide("_data", foreign_names=FOREIGN) is Verdict.HOOK
    assert decide("_mine") is Verdict.HOOK


def test_documented_underscore_names_are_plain() -> None:
    assert decide("_asdict") is Verdict.PLAIN


@pytest.mark.parametrize(
    ("name", "owner", "expected"),
    [
        ("__x", "C", "_C__x"),
        ("__x__", "C", "__x__"),
        ("__x", "__C", "_C__x"),
        ("__x", "__", "__x"),
        ("__x", None, "__x"),
    ],
)
def test_private_names_are_judged_as_the_compiler_spells_them(
    name: str, owner: str | None, expected: str
) -> None:
    assert mangled(name, owner) == expected


def test_finalizers_and_class_hooks_cannot_be_defined() -> None:
    assert (
        not {"__del__", "__init_subclass__", "__getattribute__", "__mro_entries__", "__prepare__"}
        & DEFINABLE
    )


def test_every_refusal_says_why() -> None:
    for name in ("tb_frame", "__globals__", "_data"):
        reason, _ = explain(name)
        assert reason


def test_a_name_of_underscores_alone_is_not_special() -> None:
    assert not is_dunder("____")
    assert is_open("x")
    assert not is_open("__x__")
