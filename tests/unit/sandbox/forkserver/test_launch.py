"""The order that a fork server gets."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from codemode.sandbox.errors import SandboxUnavailableError
from codemode.sandbox.forkserver.launch import PACKAGES, cache_bytecode, make_order
from codemode.sandbox.limits import Limits


def order(*packages: str) -> bytes:
    return make_order(
        image="some.image",
        config={"a": [1]},
        packages=packages,
        required="B",
        ceilings=Limits(memory_bytes=1 << 20, cpu_s=3),
    )


@pytest.mark.spec("SANDBOX 1.1")
def test_the_order_names_real_files_and_the_ceilings() -> None:
    made = json.loads(order(*PACKAGES))
    assert set(made["packages"]) == set(PACKAGES)
    for path in (*made["packages"].values(), made["sandbox"]):
        assert os.path.isabs(path)
        assert os.path.realpath(path) == path
    assert (made["image"], made["config"]) == ("some.image", {"a": [1]})
    assert (made["memory_bytes"], made["cpu_s"], made["required"]) == (1 << 20, 3, "B")


@pytest.mark.spec("SANDBOX 5.7")
def test_opt_in_packages_come_with_what_they_require_and_with_one_thread() -> None:
    made = json.loads(
        make_order(
            image="some.image",
            config={"packages": ["pydantic.fields"]},
            packages=PACKAGES,
            required="B",
            ceilings=Limits(),
        )
    )
    assert {*PACKAGES, "pydantic", "pydantic_core", "annotated_types"} <= set(made["packages"])
    assert set(made["environment"].values()) == {"1"}
    assert "OPENBLAS_NUM_THREADS" in made["environment"]
    assert json.loads(order(*PACKAGES))["environment"] == {}


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(SandboxUnavailableError, match="no_such_package") as caught:
        order("no_such_package")
    assert caught.value.missing == ("package no_such_package",)


@pytest.mark.spec("SANDBOX 1.2")
def test_modules_without_current_bytecode_are_compiled_once(tmp_path: Path) -> None:
    source = tmp_path / "part" / "one.py"
    source.parent.mkdir()
    source.write_text("x = 1\n")

    cache_bytecode(tmp_path)
    (made,) = tmp_path.rglob("*.pyc")
    first = made.stat().st_mtime_ns
    cache_bytecode(tmp_path)

    assert made.stat().st_mtime_ns == first


def test_bytecode_of_an_edited_module_is_replaced(tmp_path: Path) -> None:
    source = tmp_path / "one.py"
    source.write_text("x = 1\n")
    cache_bytecode(tmp_path)
    (made,) = tmp_path.rglob("*.pyc")
    before = made.read_bytes()
    os.utime(made, (1, 1))
    source.write_text("x = 22\n")

    cache_bytecode(tmp_path)

    assert made.read_bytes() != before
