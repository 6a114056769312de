"""`codemode doctor` on a machine that gives less than what is asked for by default."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from codemode.runtime.cli import doctor
from codemode.runtime.cli.app import app
from codemode.sandbox.errors import SandboxUnavailableError
from codemode.sandbox.isolation import IsolationReport

BELOW = IsolationReport(
    level="B-", seccomp=True, missing=("Landlock: not supported",), probes=(("fork", "killed"),)
)


class _Machine:
    def __init__(self, gives: IsolationReport) -> None:
        self.isolation = gives


def gives(report: IsolationReport | None) -> Callable[..., Any]:
    """A Sandbox on a machine that gives this and no more; None: one where none starts at all."""

    @asynccontextmanager
    async def sandbox(*, isolation: str = "B", cgroup: None = None) -> AsyncGenerator[_Machine]:
        if report is None or isolation != "unsafe":
            raise SandboxUnavailableError("isolation B was asked for", missing=("Landlock: gone",))
        yield _Machine(report)

    return sandbox


def ask(*options: str) -> Result:
    return CliRunner().invoke(app, ["doctor", *options])


@pytest.mark.spec("SANDBOX 2.3")
def test_it_says_what_a_machine_gives_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "Sandbox", gives(BELOW))
    done = ask()
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0].split() == ["level", "B-"]
    assert "  Landlock: not supported" in done.stdout
    assert "isolation B was asked for" in done.stderr


@pytest.mark.spec("SANDBOX 2.3")
@pytest.mark.parametrize(("machine", "level"), [(BELOW, "B-"), (None, "none")])
def test_the_json_has_the_level_that_there_is_and_the_refusal(
    machine: IsolationReport | None, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "Sandbox", gives(machine))
    done = ask("--json")
    told = json.loads(done.stdout)
    assert done.exit_code == 1
    assert (told["level"], told["error"]) == (level, "isolation B was asked for")
    assert told["missing"] == list(("Landlock: gone",) if machine is None else machine.missing)
