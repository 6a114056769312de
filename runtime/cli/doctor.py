"""`codemode doctor`: the isolation that this machine gives, proven by the start-up self-test."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Annotated

import anyio
import typer

from codemode.runtime.cli.options import Json
from codemode.runtime.cli.output import FAILED, OK, complain, print_json
from codemode.sandbox.cgroup import Cgroup
from codemode.sandbox.errors import SandboxUnavailableError
from codemode.sandbox.facade import Sandbox
from codemode.sandbox.isolation import IsolationReport
from codemode.sandbox.limits import TABLE


def command(
    as_json: Json = False,
    limits: Annotated[
        bool, typer.Option("--limits", help="Print the table of limits too.")
    ] = False,
    cgroup: Annotated[
        Path | None,
        typer.Option(
            "--cgroup",
            metavar="DIR",
            help="Also try to limit all guests together, by a cgroup v2 made in this directory.",
        ),
    ] = None,
) -> None:
    """Start the sandbox, attack it from inside, and say which layers hold and what is missing.

    Exit status 0 when programs can be run with the default isolation, 1 when they cannot: then too
    it says what there is.
    """
    refusal: dict[str, object] = {}
    try:
        report = anyio.run(_report, cgroup)
    except SandboxUnavailableError as error:
        complain(str(error))
        refusal = {"error": str(error)}
        report = anyio.run(_report_below) or IsolationReport(level="none", missing=error.missing)
    if as_json:
        print_json({**report.as_json(), **refusal, **({"limits": _limits()} if limits else {})})
    else:
        typer.echo(_text(report))
        if limits:
            typer.echo("\n" + _limits_text())
    raise typer.Exit(FAILED if refusal else OK)


async def _report(parent: Path | None) -> IsolationReport:
    """The report of a sandbox, with every limit of a cgroup in force where one is to be tried."""
    cgroup = None
    if parent is not None:
        cpus = float(os.cpu_count() or 1)
        cgroup = Cgroup(parent=parent, memory_bytes=1 << 30, processes=256, cpus=cpus)
    async with Sandbox(cgroup=cgroup) as sandbox:
        return sandbox.isolation


async def _report_below() -> IsolationReport | None:
    """What a machine gives that is refused by default; None where no fork server starts at all.

    No program is run in it.
    """
    try:
        async with Sandbox(isolation="unsafe") as sandbox:
            return sandbox.isolation
    except SandboxUnavailableError:
        return None


def _text(report: IsolationReport) -> str:
    def mark(has: bool) -> str:
        return "yes" if has else "no"

    rows = [
        ("level", report.level),
        ("user namespace", mark(report.userns)),
        ("pid namespace", mark(report.pidns)),
        ("network namespace", mark(report.netns)),
        ("empty root filesystem", mark(report.mount)),
        ("Landlock", f"ABI {report.landlock_abi}" if report.landlock_abi else "no"),
        ("seccomp filter", mark(report.seccomp)),
        ("cgroup v2", mark(report.cgroup)),
        ("interpreter", f"CPython {platform.python_version()} {platform.machine()} {sys.platform}"),
    ]
    lines = [f"{name:<22}{value}" for name, value in rows]
    if report.missing:
        lines += ["", "missing:", *(f"  {reason}" for reason in report.missing)]
    if report.probes:
        lines += ["", "tried from inside a guest:"]
        lines += [f"  {attack:<20}{met}" for attack, met in report.probes]
    return "\n".join(lines)


def _limits() -> list[dict[str, object]]:
    return [
        {
            "name": limit.name,
            "unit": limit.unit,
            "default": limit.default,
            "maximum": limit.maximum,
            "kind": limit.kind,
            "what": limit.what,
        }
        for limit in TABLE
    ]


def _limits_text() -> str:
    head = f"{'limit':<16}{'default':>14} {'unit':<8}what"
    return "\n".join(
        [head, *(f"{li.name:<16}{li.default:>14,g} {li.unit:<8}{li.what}" for li in TABLE)]
    )
