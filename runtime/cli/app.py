"""The command tree, and what every command has in common: exit codes and Ctrl-C.

Exit codes: 0 the program succeeded, or the check passed; 1 it did not; 2 a usage error, before
anything ran; 130 interrupted.
"""

from __future__ import annotations

import errno
import sys
from typing import Final, TypeVar, cast

import typer

from codemode import __version__
from codemode.runtime.cli import audit, bench, doctor, gateway, policy, resume, run, sdk
from codemode.runtime.cli.output import FAILED, USAGE, complain
from codemode.sandbox.errors import CodeModeError

Error = TypeVar("Error", bound=BaseException)

#: What a disk says that takes no more, or a device that is gone.
_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO)

app = typer.Typer(
    name="codemode",
    help="Run model-written Python against your tools, in a kernel-enforced sandbox.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command(name="run")(run.command)
app.command(name="resume")(resume.command)
app.command(name="sdk")(sdk.command)
app.command(name="gateway")(gateway.command)
app.command(name="doctor")(doctor.command)
app.command(name="bench")(bench.command)
app.add_typer(audit.app, name="audit")
app.add_typer(policy.app, name="policy")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Run model-written Python against your tools, in a kernel-enforced sandbox."""


def main() -> None:
    """The entry point of the `codemode` command."""
    try:
        app()
    except* CodeModeError as group:
        for error in _leaves(group):
            complain(str(error))
        sys.exit(USAGE)
    except* KeyboardInterrupt:
        complain("interrupted")
        sys.exit(130)
    except* OSError as group:
        faults = _leaves(group)
        if any(fault.errno not in _DISK for fault in faults):
            raise
        complain(f"the output is not whole: {faults[0].strerror}")
        sys.exit(FAILED)


def _leaves(group: BaseExceptionGroup[Error]) -> list[Error]:
    found: list[Error] = []
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            found += _leaves(cast("BaseExceptionGroup[Error]", error))
        else:
            found.append(error)
    return found
