"""What the self-test makes of the ends of its guests."""

from __future__ import annotations

import signal

import pytest

from codemode.sandbox.jail import probes


def exited(code: int) -> int:
    return code << 8


@pytest.mark.spec("SANDBOX 2.4")
@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (int(signal.SIGSYS), "killed"),
        (int(signal.SIGSEGV), "died of signal 11"),
        (exited(1), "EPERM"),
        (exited(13), "EACCES"),
        (exited(0), "SUCCEEDED"),
        (exited(255), "could not be jailed"),
        (exited(250), "250"),
    ],
)
def test_a_wait_status_becomes_a_verdict(status: int, verdict: str) -> None:
    assert probes.verdict(status) == verdict


@pytest.mark.spec("SANDBOX 2.4")
def test_the_jail_holds_only_when_every_probe_was_refused_as_it_must_be() -> None:
    good = dict.fromkeys(probes.PROBES, "killed")
    assert probes.held(good)
    assert probes.held({**good, "open": "EPERM"})
    for bad in ("SUCCEEDED", "EACCES", "died of signal 9", "could not be jailed", "250"):
        assert not probes.held({**good, "open": bad})
    assert not probes.held({})
    assert not probes.held(dict(list(good.items())[1:]))
    assert probes.escaped({**good, "kill": "SUCCEEDED"}) == "kill: SUCCEEDED"


@pytest.mark.spec("SANDBOX 2.4")
def test_the_probes_are_those_that_the_specification_names() -> None:
    assert list(probes.PROBES) == [
        "open", "socket", "fork", "execve", "mmap PROT_EXEC", "kill", "foreign descriptor",
    ]  # fmt: skip
