"""`codemode audit export`: the same log in another kind of file, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from codemode.runtime.cli.calls import Log, Session, opened, sessions_of
from codemode.runtime.cli.output import FAILED, complain, refuse
from codemode.runtime.log.store import copy_log, open_store


def command(
    log: Log,
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="The new log: .jsonl for JSON Lines.")
    ],
    session: Session = None,
) -> None:
    """Copy a log into another file: to JSON Lines for interchange, or back; nothing is lost.

    Every event keeps its bytes and its hash, so the copy verifies as the log does. Exit status 1
    when the log holds something that is not an event, which no copy can have.
    """
    if target.exists() and target.stat().st_size:
        refuse(f"{target} exists: a copy needs a file of its own")
    with opened(log) as store:
        sessions_of(store, session)
        copy = open_store(target)
        try:
            count = copy_log(store, copy, session)
        finally:
            copy.close()
        damage = store.damage()
    typer.echo(f"{target}: {count} events")
    for part in damage:
        complain(f"{log}: not copied: {part}")
    if damage:
        raise typer.Exit(FAILED)
