"""`codemode audit prune`: forget what the run journal holds of old runs."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from codemode.runtime.cli.options import Json
from codemode.runtime.cli.output import FAILED, complain, print_json, refuse
from codemode.runtime.log.errors import LogError
from codemode.runtime.log.journal import SqliteJournal

_AGE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhdw])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def command(
    journal: Annotated[
        Path, typer.Argument(metavar="JOURNAL", help="A run journal, such as LOG.journal.")
    ],
    older_than: Annotated[
        str,
        typer.Option(metavar="AGE", help="Runs that began longer ago: 30d, 12h, 90m, 45s, 8w."),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be forgotten.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Forget the journal of old runs, and overwrite what it held; the session log stays as it is.

    A run that was pruned can still be verified, and not be replayed any more. Exit status 0 also
    when there was nothing to forget, 1 when the journal cannot be changed, 2 when the file is no
    journal.
    """
    before = time.time() - age(older_than)
    try:
        moment = datetime.fromtimestamp(before, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        refuse(f"--older-than {older_than!r}: longer ago than there are dates")
    if not journal.is_file():
        refuse(f"{journal}: no such journal")
    store = SqliteJournal(journal, read_only=dry_run)
    try:
        runs = store.count(before) if dry_run else store.prune(before)
        left = store.count() - (runs if dry_run else 0)
    except LogError as error:
        complain(str(error))
        raise typer.Exit(FAILED) from error
    finally:
        store.close()
    if as_json:
        print_json({"pruned": runs, "left": left, "before": moment, "dry_run": dry_run})
    else:
        verb = "would forget" if dry_run else "forgot"
        typer.echo(f"{journal}: {verb} {runs} runs that began before {moment}; {left} stay")


def age(text: str) -> float:
    """Seconds of an age such as `30d`; anything else is a usage error."""
    match = _AGE.fullmatch(text.strip())
    if match is None:
        refuse(f"--older-than {text!r}: expected a number and s, m, h, d or w, such as 30d")
    return float(match[1]) * _SECONDS[match[2]]
