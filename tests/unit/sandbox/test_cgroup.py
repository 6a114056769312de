"""What a cgroup may be asked for, and what is said where it cannot be had; no kernel behind it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Any

import pytest

from codemode.sandbox.cgroup import Cgroup, Group
from codemode.sandbox.errors import SandboxUnavailableError


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    """A directory that looks like a delegated cgroup."""
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    (tmp_path / "cgroup.subtree_control").write_text("\n")
    (tmp_path / "cgroup.type").write_text("domain\n")
    (tmp_path / "cgroup.procs").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({}, "limits something"),
        ({"memory_bytes": 1 << 20}, "memory_bytes"),
        ({"processes": 3}, "processes"),
        ({"cpus": 0}, "cpus"),
        ({"cpus": float("nan")}, "cpus"),
        ({"cpus": float("inf")}, "cpus"),
    ],
)
def test_limits_that_nothing_could_run_under_are_refused(limits: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Cgroup(parent=Path("/"), **limits)


def test_each_limit_is_written_in_the_words_of_the_kernel() -> None:
    cgroup = Cgroup(parent=Path("/"), memory_bytes=(64 << 20) + 1, processes=20, cpus=1.5)
    assert list(cgroup.settings()) == [
        ("memory.max", str(64 << 20)),  # whole pages
        ("memory.swap.max", "0"),
        ("pids.max", "20"),
        ("cpu.max", "150000 100000"),
    ]
    assert list(Cgroup(parent=Path("/"), processes=99).settings()) == [("pids.max", "99")]


@pytest.mark.spec("SANDBOX 3.5", "SANDBOX 2.4")
def test_a_directory_that_is_no_cgroup_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailableError, match="no directory of cgroup v2") as caught:
        Group(Cgroup(parent=tmp_path, cpus=1))
    assert str(tmp_path) in caught.value.missing[0]


def test_a_controller_that_was_not_delegated_is_named(parent: Path) -> None:
    (parent / "cgroup.controllers").write_text("cpu\n")
    with pytest.raises(SandboxUnavailableError, match="not given the controller pids"):
        Group(Cgroup(parent=parent, processes=50))


def test_a_cgroup_with_processes_of_its_own_is_refused_with_the_reason(parent: Path) -> None:
    (parent / "cgroup.procs").write_text("1\n")
    with pytest.raises(SandboxUnavailableError, match="holds processes itself"):
        Group(Cgroup(parent=parent, cpus=1))


def test_a_group_that_does_not_take_its_limits_is_not_left_behind(parent: Path) -> None:
    with pytest.raises(SandboxUnavailableError, match=r"memory\.max"):
        Group(Cgroup(parent=parent, memory_bytes=1 << 30))
    assert not [path for path in parent.iterdir() if path.is_dir()]
    assert (parent / "cgroup.subtree_control").read_text().strip() == "+memory"


@pytest.mark.spec("SANDBOX 3.5")
def test_groups_whose_makers_are_gone_are_removed_and_others_are_not(parent: Path) -> None:
    orphan, alive, other = (parent / name for name in ("codemode-1", "codemode-2", "somebody-s"))
    for path in (orphan, alive, other):
        path.mkdir()
    held = os.open(alive, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        with pytest.raises(SandboxUnavailableError):
            Group(Cgroup(parent=parent, memory_bytes=1 << 30))
    finally:
        os.close(held)
    assert sorted(path.name for path in parent.iterdir() if path.is_dir()) == [
        "codemode-2",
        "somebody-s",
    ]
