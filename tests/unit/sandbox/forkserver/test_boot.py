"""What the fork server can import."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from codemode.sandbox.forkserver.boot import PackageFinder, bare_package


@pytest.mark.spec("SANDBOX 1.1")
def test_only_named_packages_are_found(tmp_path: Path) -> None:
    finder = PackageFinder({"named": str(tmp_path / "named" / "__init__.py")})
    spec = finder.find_spec("named")
    assert spec is not None
    assert spec.submodule_search_locations == [str(tmp_path / "named")]
    assert finder.find_spec("other") is None


def test_a_single_module_has_no_search_path(tmp_path: Path) -> None:
    spec = PackageFinder({"one": str(tmp_path / "one.py")}).find_spec("one")
    assert spec is not None
    assert spec.submodule_search_locations is None


def test_submodules_are_left_to_their_package(tmp_path: Path) -> None:
    assert PackageFinder({"one": str(tmp_path / "one.py")}).find_spec("one", ["/x"]) is None


def test_a_bare_package_finds_its_modules_without_running_its_init(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("raise AssertionError")
    (tmp_path / "part.py").write_text("value = 7")
    bare_package("bare_package_of_a_test", [str(tmp_path)])
    try:
        from importlib import import_module

        assert import_module("bare_package_of_a_test.part").value == 7
    finally:
        sys.modules.pop("bare_package_of_a_test.part", None)
        sys.modules.pop("bare_package_of_a_test")
