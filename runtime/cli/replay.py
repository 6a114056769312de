"""`codemode audit replay`: run a recorded program again, calling no tool, and compare."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import anyio
import typer

from codemode.runtime.audit.render_replay import render_replay
from codemode.runtime.audit.replay import Replay, replay
from codemode.runtime.audit.show import wants_colour
from codemode.runtime.cli.calls import CallId, HomeSession, ItsJournal, Log
from codemode.runtime.cli.options import Isolation, required
from codemode.runtime.cli.output import print_json, refuse
from codemode.runtime.log.journal import SqliteJournal, journal_path
from codemode.runtime.log.store import open_store


def command(
    log: Log,
    call_id: CallId,
    journal: ItsJournal = None,
    session: HomeSession = None,
    isolation: Annotated[
        Isolation, typer.Option(help="The least confinement that is accepted.")
    ] = Isolation.B,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Run a recorded program again in the sandbox, calling no tool, and compare.

    Exit status 0 when it is identical, 1 when it diverges or the record was changed, 2 when it
    cannot be replayed.
    """
    if journal is not None and not journal.exists():
        refuse(f"{journal}: no such journal")
    file = journal or journal_path(log)
    found = file if file.exists() else None
    verdict = anyio.run(_replay, log, call_id, found, session, isolation)
    if as_json:
        print_json(verdict.as_json())
    else:
        typer.echo(render_replay(verdict, colour=wants_colour(sys.stdout)), nl=False)
    raise typer.Exit(verdict.exit_status)


async def _replay(
    log: Path, call_id: str, file: Path | None, session: str | None, isolation: Isolation
) -> Replay:
    store = open_store(log, read_only=True)
    journal = None if file is None else SqliteJournal(file, read_only=True)
    try:
        return await replay(store, journal, call_id, session=session, isolation=required(isolation))
    finally:
        if journal is not None:
            journal.close()
        store.close()
