"""`codemode audit`: read a session log without trusting whoever wrote it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import anyio
import typer

from codemode.runtime.audit import (
    Filter,
    build_tree,
    render_report,
    render_tree,
    verify,
    wants_colour,
)
from codemode.runtime.audit.follow import follow as follow_session
from codemode.runtime.audit.report import render_html
from codemode.runtime.cli import replay
from codemode.runtime.cli.output import FAILED, OK, print_json, print_json_line, refuse
from codemode.runtime.log import EventStore, open_store, read_events
from codemode.runtime.log.repair import repair as repair_session
from codemode.runtime.log.signing import read_public_key

app = typer.Typer(
    name="audit",
    help="Read a session log: show it as a tree, verify it, run a program of it again.",
    no_args_is_help=True,
    add_completion=False,
)
app.command(name="replay")(replay.command)

Log = Annotated[Path, typer.Argument(metavar="LOG", help="A session log (SQLite, or .jsonl).")]
Session = Annotated[str | None, typer.Option(metavar="ID", help="Only this session.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@contextmanager
def _opened(log: Path) -> Generator[EventStore]:
    store = open_store(log, read_only=True)
    try:
        yield store
    finally:
        store.close()


def _when(text: str | None, option: str) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        refuse(f"{option} {text!r}: expected ISO 8601, such as 2031-05-01T12:00:00Z")
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


@app.command()
def show(
    log: Log,
    session: Session = None,
    tool: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only calls of this tool.")
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(metavar="OUTCOME", help="Only calls with this outcome, such as denied."),
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only calls from this time on (ISO 8601).")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only calls before this time (ISO 8601).")
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Only calls that hold this text."),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Print each event of a live session as a JSON line.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the tree: turns, programs, and each nested call with its outcome, duration and line."""
    if follow:
        anyio.run(_follow, log, session)
        return
    wanted = Filter(
        tool=tool,
        outcome=outcome,
        since=_when(since, "--since"),
        until=_when(until, "--until"),
        text=text,
    )
    with _opened(log) as store:
        names = [session] if session is not None else list(store.sessions())
        trees = [wanted.apply(build_tree(read_events(store, name))) for name in names]
    if as_json:
        print_json([tree.as_json() for tree in trees])
        return
    width = shutil.get_terminal_size().columns
    for tree in trees:
        typer.echo(render_tree(tree, width=width, colour=wants_colour(sys.stdout)), nl=False)


async def _follow(log: Path, session: str | None) -> None:
    with _opened(log) as store:
        names = list(store.sessions())
        if session is None and not names:
            refuse(f"{log}: no session yet; name one with --session")
        async for event in follow_session(store, session or names[-1], sleep=anyio.sleep):
            print_json_line(event.as_json())


@app.command()
def report(
    log: Log,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes.")
    ] = Path("report.html"),
    session: Session = None,
) -> None:
    """Write one self-contained HTML page: programs, nested calls beside their lines, a timeline."""
    with _opened(log) as store:
        page = render_html(store, session)
    try:
        output.write_text(page, encoding="utf-8")
    except OSError as error:
        refuse(f"{output}: {error.strerror or error}")
    typer.echo(str(output))


@app.command()
def repair(log: Log, session: Session = None) -> None:
    """Settle and close sessions whose writer died, by appending; nothing is rewritten."""
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
    with _opened(log) as store:
        report = verify(store, session, head=head, strict=strict, public_key=key)
    if as_json:
        print_json(report.as_json())
    else:
        typer.echo(render_report(report, colour=wants_colour(sys.stdout)), nl=False)
    raise typer.Exit(OK if report.ok else FAILED)
