"""From layers and verdicts to a level."""

from __future__ import annotations

import pytest

from codemode.sandbox.jail import probes, report
from codemode.sandbox.jail.steps import Layers

HELD = dict.fromkeys(probes.PROBES, "killed")


def layers(**changes: bool | int) -> Layers:
    values: dict[str, bool | int] = {
        "userns": True, "netns": True, "pidns": True, "mount": True, "landlock_abi": 6,
        "seccomp": True, **changes,
    }  # fmt: skip
    made = Layers()
    for name, value in values.items():
        setattr(made, name, value)
    return made


@pytest.mark.spec("SANDBOX 2.3")
@pytest.mark.parametrize(
    ("changes", "level"),
    [
        ({}, "A"),
        ({"mount": False}, "B"),
        ({"netns": False}, "B"),
        ({"pidns": False}, "B"),
        ({"userns": False}, "B"),
        ({"landlock_abi": 0}, "B-"),
        ({"userns": False, "landlock_abi": 0}, "B-"),
        ({"seccomp": False}, "none"),
    ],
)
def test_the_level_follows_from_the_layers(changes: dict[str, bool | int], level: str) -> None:
    assert report.make(layers(**changes), HELD).level == level


@pytest.mark.spec("SANDBOX 2.4")
def test_no_level_is_claimed_when_a_probe_got_through() -> None:
    found = report.make(layers(), {**HELD, "socket": "SUCCEEDED"})
    assert found.level == "none"
    assert ("socket", "SUCCEEDED") in found.probes
    assert any("self-test" in reason for reason in found.missing)


@pytest.mark.spec("SANDBOX 2.4")
def test_no_level_is_claimed_without_probes() -> None:
    assert report.make(layers(), {}).level == "none"


def test_a_refused_step_is_recorded_with_the_kernels_reason() -> None:
    found = Layers()

    def refuse() -> None:
        raise PermissionError(1, "Operation not permitted")

    assert not found.attempt("empty root", refuse)
    assert found.attempt("nothing", lambda: None)
    assert found.missing == ["empty root: Operation not permitted"]
