"""`codemode audit`: read a session log without trusting whoever wrote it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import anyio
import typer

from codemode.runtime.audit import render_report, verify, wants_colour
from codemode.runtime.audit.report import render_html
from codemode.runtime.cli import export, prune, replay, show
from codemode.runtime.cli.calls import (
    Log,
    OutcomeName,
    Session,
    Since,
    Text,
    ToolName,
    Until,
    opened,
    wanted_calls,
)
from codemode.runtime.cli.options import Json
from codemode.runtime.cli.output import FAILED, OK, print_json, refuse
from codemode.runtime.log import open_store
from codemode.runtime.log.repair import repair as repair_session
from codemode.runtime.log.signing import read_public_key

app = typer.Typer(
    name="audit",
    help="Read a session log: show it as a tree, verify it, run a program of it again.",
    no_args_is_help=True,
    add_completion=False,
)
app.command(name="show")(show.command)
app.command(name="replay")(replay.command)
app.command(name="export")(export.command)
app.command(name="prune")(prune.command)


@app.command()
def report(
    log: Log,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes.")
    ] = Path("report.html"),
    session: Session = None,
    tool: ToolName = None,
    outcome: OutcomeName = None,
    since: Since = None,
    until: Until = None,
    text: Text = None,
) -> None:
    """Write one self-contained HTML page: programs, nested calls beside their lines, a timeline."""
    wanted = wanted_calls(tool, outcome, since, until, text)
    with opened(log) as store:
        page = render_html(store, session, wanted)
    try:
        output.write_text(page, encoding="utf-8")
    except OSError as error:
        refuse(f"{output}: {error.strerror or error}")
    typer.echo(str(output))


@app.command()
def repair(log: Log, session: Session = None) -> None:
    """Settle what a writer that died had left open, by appending; nothing is rewritten.

    Exit status 2 when there is no log, or its writer is alive.
    """
    opened_for_reading = open_store(log, read_only=True)  # or a log would be made where none is
    opened_for_reading.close()
    anyio.run(_repair, log, session)


async def _repair(log: Path, session: str | None) -> None:
    store = open_store(log)
    try:
        for name in [session] if session is not None else list(store.sessions()):
            events = await repair_session(store, name)
            typer.echo(f"{name}: {len(events)} events appended" if events else f"{name}: whole")
    finally:
        store.close()


@app.command(name="verify")
def verify_command(
    log: Log,
    session: Session = None,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="SEQ:HASH", help="The last event, as known from elsewhere; with --session."
        ),
    ] = None,
    public_key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Ed25519 public key (hexadecimal or a PEM file) of the checkpoints.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option(help="A session without an anchor at its end is a fault.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Recompute the chain, check signatures and every invariant of the protocol.

    Exit status 0 when all holds, 1 on any fault, 2 when the file is no session log.
    """
    key = None if public_key is None else read_public_key(public_key)
    with opened(log) as store:
        verdict = verify(store, session, head=head, strict=strict, public_key=key)
    if as_json:
        print_json(verdict.as_json())
    else:
        typer.echo(render_report(verdict, colour=wants_colour(sys.stdout)), nl=False)
    raise typer.Exit(OK if verdict.ok else FAILED)
