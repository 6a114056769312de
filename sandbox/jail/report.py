"""From the layers that were got and the probes that were refused to the report of a fork server.

A level is claimed only when the probes held: without them the machine is at level `none`.

Source: SANDBOX 2.3, 2.4.
"""

from __future__ import annotations

from collections.abc import Mapping

from codemode.sandbox.isolation import IsolationReport, Level
from codemode.sandbox.jail import probes
from codemode.sandbox.jail.steps import Layers


def make(layers: Layers, verdicts: Mapping[str, str]) -> IsolationReport:
    """The report of this fork server.

    Args:
        layers: What was got and what was refused.
        verdicts: What each probe guest met, by its name; empty when none could be run.
    """
    missing = [*layers.missing]
    if layers.seccomp and not probes.held(verdicts):
        missing.append(f"self-test: {probes.escaped(verdicts)}")
    return IsolationReport(
        level=_level(layers, verdicts),
        userns=layers.userns,
        pidns=layers.pidns,
        netns=layers.netns,
        mount=layers.mount,
        landlock_abi=layers.landlock_abi,
        seccomp=layers.seccomp,
        missing=tuple(missing),
        probes=tuple(verdicts.items()),
    )


def _level(layers: Layers, verdicts: Mapping[str, str]) -> Level:
    if not layers.seccomp or not probes.held(verdicts):
        return "none"
    if not layers.landlock_abi:
        return "B-"
    namespaces = (layers.userns, layers.pidns, layers.netns, layers.mount)
    return "A" if all(namespaces) else "B"
